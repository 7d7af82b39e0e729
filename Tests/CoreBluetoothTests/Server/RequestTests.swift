// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import CoreBluetooth
import Foundation
import Testing

@Suite("Requests of centrals")
struct RequestTests {
    /// An application that has this value for everybody who reads.
    private func give(_ value: Data) -> PeripheralRecorder.Reaction {
        { app, requests in
            guard let request = requests.first else { return }
            guard request.offset <= value.count else {
                return app.manager.respond(to: request, withResult: .invalidOffset)
            }
            request.value = value.dropFirst(request.offset)
            app.manager.respond(to: request, withResult: .success)
        }
    }

    @Test("10.2, 10.3 A long value is read in parts, from growing offsets, each cut to what fits")
    func longRead() async throws {
        let value = Data((0..<100).map { UInt8($0) })
        let stage = try Stage()
        try await stage.serve([Shop.make().0]) { app in
            app.answer(give(value))
            try await stage.visitor { visitor in
                let dynamic = try await visitor.find(Shop.dynamic)
                #expect(try await visitor.link.readLong(dynamic) == [UInt8](value))
            }
            let reads = app.journal.lines.filter { $0.hasPrefix("read") }
            #expect(reads.first == "read A002 from 0")
            let offsets = app.allRequests.map(\.offset)
            #expect(offsets == offsets.sorted() && offsets.allSatisfy { $0 <= 100 })
        }
    }
}
