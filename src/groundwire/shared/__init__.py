"""What several servers share through Redis; without Redis nothing here is needed or imported.

Each thing that is shared has an implementation for one process, which is always there, and one
on Redis. Where Redis does not answer, the one for this process stands in.
"""

from groundwire.shared.redis_connection import RedisConnection, address_shown, redis_connection

__all__ = ["RedisConnection", "address_shown", "redis_connection"]
