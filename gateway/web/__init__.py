"""The dashboard: pages for what waits, memory, sessions, jobs and health, behind a login by a link for one person.

Starlette, uvicorn, jinja2 and itsdangerous live here and are imported when somebody opens it.
"""
