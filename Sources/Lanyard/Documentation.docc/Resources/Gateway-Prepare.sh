# As long as bluetoothd uses the adapter, Lanyard may not get it.
sudo systemctl disable --now bluetooth
