// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The app of Examples/Kiosk, run by an ordinary user on either back end.
@Suite(.machines) struct DaemonKioskTests {
    @Test(
        "The kiosk pairs tapped badges of ours and of Bumble, and knows them after a relaunch",
        .needsBumble,
        arguments: Setting.eachRelease,
        DaemonProgram.BackEnd.allCases
    )
    func relaunch(_ setting: Setting, _ backEnd: DaemonProgram.BackEnd) async throws {
        let name = "kiosk: on \(backEnd.rawValue)"
        let allowances = backEnd.allowances
        try await withKernel(setting, as: .central, name, allowing: allowances) { fixture in
            let ours = try await KernelBadge(1, in: fixture)
            let bumble = try await BumbleAccessory.badge(
                2,
                address: "F1:A0:00:00:00:22",
                in: fixture
            )
            try await fixture.bluez.powerOn()

            let program = try await DaemonProgram(kioskIn: fixture.bluez, on: backEnd)
            #expect(try await program.perform("kiosk launch", until: "launched ") == "")
            try await program.prints("nearby Badge 1, Badge 2", within: Limits.discovery)
            try await program.perform("kiosk tap Badge 2")
            #expect(try await program.prints("paired ", within: Limits.discovery) == "Badge 2")
            try await program.perform("kiosk tap Badge 1")
            let paired = try await program.prints("paired ", within: Limits.discovery)
            #expect(paired == "Badge 1, Badge 2")
            for badge in ["Badge 1", "Badge 2"] {
                let answer = try await program.perform(
                    "kiosk send Hello \(badge)",
                    until: "answer "
                )
                #expect(answer == "\(badge) read Hello")
            }
            // The bytes on the air do not contain the text of the note.
            #expect(!ours.written.isEmpty && ours.written.range(of: Data("Hello".utf8)) == nil)
            try await program.perform("kiosk leave", until: "left")
            try await program.end()
            try await bumble.end()

            // At the next launch, one badge has another address.
            let moved = try await BumbleAccessory.badge(
                2,
                address: "F1:A0:00:00:00:2F",
                in: fixture
            )
            try await program.start(on: backEnd)
            let known = try await program.perform("kiosk launch", until: "launched ")
            #expect(known == "Badge 1, Badge 2")
            for badge in ["Badge 2", "Badge 1"] {
                try await program.perform("kiosk send Again \(badge)")
                let answer = try await program.prints("answer ", within: Limits.discovery)
                #expect(answer == "\(badge) read Again")
            }
            try await program.perform("kiosk leave", until: "left")
            try await program.end()
            try await moved.end()
        }
    }
}
