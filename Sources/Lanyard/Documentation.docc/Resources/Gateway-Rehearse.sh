lanyard serve thermometer.json --adapter virtual --store thermometer-store --listen unix:/tmp/air &
LANYARD_ADAPTER=unix:/tmp/air swift run Gateway
