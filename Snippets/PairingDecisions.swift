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
#endif
