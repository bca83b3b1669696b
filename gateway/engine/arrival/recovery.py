"""After a start: everything that a dead process left is taken up again, in the order in which it came."""

from __future__ import annotations

from gateway.engine.arrival.accept import Reception
from gateway.engine.arrival.backlog import Backlog
from gateway.engine.house import House
from gateway.engine.turns.work import Resumed, Said
from gateway.engine.turns.worker import Workers
from gateway.state.protocols import Store

WEEK = 7 * 86400.0
"""Seconds for which an event's id is remembered, so that a redelivered one is known."""


async def recover(house: House, workers: Workers, reception: Reception, backlog: Backlog) -> None:
    """Parts of unknown delivery, running turns, then new events: all before any platform is listened to."""
    store, now = house.store, house.clock.now()
    doubtful = await store.outbox.recover()
    await house.delivery.wake_all()  # before the turns, so that no preview overtakes what waits
    running = await store.turns.running()
    for turn in running:
        session = await store.sessions.get(turn.session_id)
        if session is None or session.ended_at is not None:
            await store.turns.drop(turn.session_id, "its session is closed", now)
            continue
        if turn.run is not None and not await _wanted(store, turn.run):
            await store.turns.drop(turn.session_id, "its run is over", now)
            continue
        workers.box(session.session_key).put(Resumed(turn))
    items = await store.inbox.open_items()
    for key in dict.fromkeys(each.session_key for each in items if each.wanted):
        wanted = [each for each in items if each.wanted and each.session_key == key]
        workers.box(key).put(Said(tuple(wanted), whole=True))  # an old backlog that is to be answered, as one message
    for item in items:
        if not item.wanted and (step := reception.lead(item, again=True)) is not None:
            workers.spawn(step)
    for key in await store.inbox.held_keys():
        workers.spawn(backlog.ask(key))
    forgotten = await store.inbox.forget(now - WEEK)
    await store.outbox.forget(now - WEEK)
    house.report.info(
        "recovered", turns=len(running), events=len(items), parts_in_doubt=doubtful, events_forgotten=forgotten
    )


async def _wanted(store: Store, run_id: int) -> bool:
    """Whether a job's run is still to be carried out: what was claimed too often, or whose job is gone, is not."""
    run = await store.job_runs.get(run_id)
    return run is not None and run.state in ("waiting", "claimed")
