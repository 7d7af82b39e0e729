lanyard serve thermometer.json --adapter virtual --listen unix:/tmp/air &
LANYARD_ADAPTER=unix:/tmp/air swift run Gateway
