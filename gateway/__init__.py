"""The application: state, models, agent, engine, reviews, schedule, web and the command line."""
