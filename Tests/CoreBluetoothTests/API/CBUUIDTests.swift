// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBUUID")
struct CBUUIDTests {
    @Test("15.2 a short UUID equals the long one that it stands for")
    func shortEqualsLong() {
        #expect(CBUUID(string: "180D") == CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB"))
    }
}
