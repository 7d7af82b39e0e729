// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Permission for state restoration")
struct RestorationPermitTests {
    @Test("The permission depends on the manager's background mode in Info.plist")
    func modes() {
        let central = ["UIBackgroundModes": ["audio", "bluetooth-central"]]
        #expect(RestorationPermit.isGiven(for: .central, by: central))
        #expect(!RestorationPermit.isGiven(for: .peripheral, by: central))
        #expect(!RestorationPermit.isGiven(for: .central, by: [:]))
        #expect(
            !RestorationPermit.isGiven(
                for: .central,
                by: ["UIBackgroundModes": "bluetooth-central"]
            )
        )
    }

    #if os(Linux) || os(macOS)
        @Test("Systems without background modes always permit restoration")
        func elsewhere() {
            #expect(RestorationPermit.permitted("lanyard.a", for: .central) == "lanyard.a")
            #expect(RestorationPermit.permitted(nil, for: .central) == nil)
        }
    #endif
}
