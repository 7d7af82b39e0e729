# While bluetoothd uses the adapter, Lanyard may be unable to use it.
sudo systemctl disable --now bluetooth

# The package of a release.
sudo apt install ./lanyard_*_arm64.deb

# Members of the group may run the program with the capability that an adapter requires.
git clone https://example.com/REPLACE-WITH-THE-ADDRESS-OF-THIS-REPOSITORY/lanyard
sudo addgroup --system bluetooth
sudo usermod -aG bluetooth "$USER"  # then log in again
sudo lanyard/Scripts/allow-adapters --group bluetooth /usr/bin/lanyard
