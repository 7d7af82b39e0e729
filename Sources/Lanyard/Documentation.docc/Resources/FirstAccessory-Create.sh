git clone https://example.com/REPLACE-WITH-THE-ADDRESS-OF-THIS-REPOSITORY/lanyard
mkdir -p Pulse/Sources/Pulse
cd Pulse
