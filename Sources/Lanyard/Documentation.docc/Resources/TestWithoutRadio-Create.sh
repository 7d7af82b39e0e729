git clone https://example.com/REPLACE-WITH-THE-ADDRESS-OF-THIS-REPOSITORY/lanyard
mkdir -p PulseKit/Sources/PulseKit PulseKit/Tests/PulseKitTests
cd PulseKit
