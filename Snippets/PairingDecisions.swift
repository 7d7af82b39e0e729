// SPDX-License-Identifier: Apache-2.0
//! Decides about pairings of an app of CoreBluetooth on Linux.

// `CBAdapter` is not part of Apple's framework.
#if os(Linux)
    // snippet.delegate
    import BluetoothHost
    import CoreBluetooth

    struct PairingApprover: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool {
            !pairing.isIncoming  // only pairings that this device started
        }

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
            print("Does \(pairing.address) show \(digits)? [y/N]")
            return readLine() == "y"
        }
    }

    CBAdapter.default = .virtual
    CBAdapter.default?.pairingDelegate = PairingApprover()
    let central = CBCentralManager(delegate: nil, queue: nil)
    // snippet.end

    // `Scripts/test-sanitized` builds a part of the package, without `Lanyard`.
    #if canImport(Lanyard)
        // snippet.lock
        import Lanyard

        struct LockDisplay: PairingDelegate {
            func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
                print("Enter \(digits) on the phone.")
            }

            func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool { true }
        }

        func lockConfiguration(on adapter: CBAdapter) -> AccessoryPeripheral.Configuration {
            adapter.ioCapability = .displayOnly
            adapter.pairingDelegate = LockDisplay()
            var configuration = AccessoryPeripheral.Configuration()
            configuration.adapter = adapter
            return configuration
        }
    // snippet.end
    #endif
#endif
