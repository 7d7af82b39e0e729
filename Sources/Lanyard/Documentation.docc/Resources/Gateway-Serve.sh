lanyard serve thermometer.json --check
lanyard serve thermometer.json --adapter hci0
