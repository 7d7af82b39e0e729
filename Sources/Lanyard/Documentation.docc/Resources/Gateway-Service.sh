sudo install -D -m 644 thermometer.json /etc/lanyard/thermometer.json
echo LANYARD_ADAPTER=hci0 | sudo tee /etc/lanyard/thermometer.env
sudo systemctl enable --now lanyard-serve@thermometer
journalctl --unit lanyard-serve@thermometer --follow
