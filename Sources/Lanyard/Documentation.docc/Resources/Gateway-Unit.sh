swift build -c release --static-swift-stdlib -Xswiftc -static-executable
sudo install -m 755 .build/release/Gateway /usr/local/bin/gateway

# The unit of `lanyard serve`, with another program.
sed 's#^ExecStart=.*#ExecStart=/usr/local/bin/gateway#' /usr/lib/systemd/system/lanyard-serve@.service \
    | sudo tee /etc/systemd/system/gateway@.service
