lanyard serve thermometer.json --check
