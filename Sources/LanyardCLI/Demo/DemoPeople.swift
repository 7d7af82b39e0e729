// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// The two people of the demonstration, one in front of each device. Each compares the six digits
/// with those that the other has.
final class DemoPeople: Sendable {
    private let report: DemoReport
    private let digits = Mutex<[PairingDigits]>([])

    init(_ report: DemoReport) {
        self.report = report
    }

    /// The digits that were shown, on whichever device.
    var shown: [PairingDigits] { digits.withLock { $0 } }

    /// The person in front of one of the devices.
    func person(at device: String) -> some PairingDelegate { Person(people: self, device: device) }

    private struct Person: PairingDelegate {
        let people: DemoPeople
        let device: String

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
            people.digits.withLock { $0.append(digits) }
            try? people.report.say("the \(device) shows \(digits); its person agrees")
            return true
        }
    }
}
