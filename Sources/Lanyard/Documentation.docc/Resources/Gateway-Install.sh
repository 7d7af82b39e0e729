# While bluetoothd uses the adapter, Lanyard may be unable to use it.
sudo systemctl disable --now bluetooth

# The package of a release.
sudo apt install ./lanyard_*_arm64.deb
