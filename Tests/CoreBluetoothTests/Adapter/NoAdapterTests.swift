// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("A computer without an adapter")
struct NoAdapterTests {
    @Test("1.1 A manager without an adapter logs how to choose one, and fails")
    func warns() async {
        let failures = Mutex(0)
        let lines = await Misuse.lines(about: "No Bluetooth adapter was found") {
            AdapterConnection().open(nil, { _ in }, orElse: { failures.withLock { $0 += 1 } })
        }
        #expect(failures.withLock { $0 } == 1)
        // Managers of other tests may log it too.
        let line = lines.first ?? ""
        for choice in [
            "LANYARD_ADAPTER", "CBAdapter.default", "CBManagerOptionAdapterKey", "doctor",
        ] {
            #expect(line.contains(choice), "\(line)")
        }
    }
}
