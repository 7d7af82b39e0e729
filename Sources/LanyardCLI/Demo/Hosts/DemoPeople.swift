// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// The two people of the demonstration, one in front of each device. Who is asked second compares the
/// six digits with those that the other device shows.
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
            let isSame = people.digits.withLock { shown in
                shown.append(digits)
                return shown.allSatisfy { $0 == digits }
            }
            let answer = isSame ? "agrees" : "does not"
            try? people.report.say("the \(device) shows \(digits); its person \(answer)")
            return isSame
        }
    }
}
