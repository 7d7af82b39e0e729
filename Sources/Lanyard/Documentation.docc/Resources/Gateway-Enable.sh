swift build -c release --static-swift-stdlib -Xswiftc -static-executable
sudo install -m 755 .build/release/Gateway /usr/local/bin/gateway

# The unit of `lanyard serve`, with another program.
sed 's#^ExecStart=.*#ExecStart=/usr/local/bin/gateway#' /usr/lib/systemd/system/lanyard-serve@.service \
    | sudo tee /etc/systemd/system/gateway@.service

sudo mkdir -p /etc/lanyard
# The address of the adapter, from `lanyard adapters`.
echo LANYARD_ADAPTER=hci:00:1A:7D:DA:71:14 | sudo tee /etc/lanyard/home.env
sudo systemctl enable --now gateway@home
journalctl --unit gateway@home --follow
