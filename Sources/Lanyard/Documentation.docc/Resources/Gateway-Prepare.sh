# While bluetoothd uses the adapter, Lanyard may be unable to use it.
sudo systemctl disable --now bluetooth
