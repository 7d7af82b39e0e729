lanyard adapters
lanyard doctor --adapter hci0
lanyard scan --adapter hci0
