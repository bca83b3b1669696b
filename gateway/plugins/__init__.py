"""Plugins as their owner sees them: what each is good for, and the template that new ones begin with."""
