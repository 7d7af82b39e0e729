swift build -c release --static-swift-stdlib -Xswiftc -static-executable
sudo install -m 755 .build/release/Gateway /usr/local/bin/gateway
