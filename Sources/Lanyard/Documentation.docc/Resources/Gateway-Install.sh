# As long as bluetoothd uses the adapter, Lanyard may not get it.
sudo systemctl disable --now bluetooth

# The package of a release.
sudo apt install ./lanyard_*_arm64.deb
