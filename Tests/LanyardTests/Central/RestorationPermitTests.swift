// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Whether restoration may be asked for")
struct RestorationPermitTests {
    @Test("depends on the mode that it is for, as Info.plist has it")
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
        @Test("does not depend on anything where there are no such modes")
        func elsewhere() {
            #expect(RestorationPermit.permitted("lanyard.a", for: .central) == "lanyard.a")
            #expect(RestorationPermit.permitted(nil, for: .central) == nil)
        }
    #endif
}
