// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP
import Testing

@testable import LanyardCLI

@Suite("Finding bonded devices")
struct BondFinderTests {
    static func peer(_ number: UInt64, name: String?) throws -> AccessoryBond {
        let key = try #require(HCI.Key128([UInt8](repeating: 1, count: 16)))
        let address = DeviceAddress(value: 0xC4F0_0000_0000 + number, kind: .random)
        var bond = Bond(peer: address, longTermKey: key, isAuthenticated: true)
        bond.name = name
        return AccessoryBond(BondedPeer(bond))
    }

    private func finder() throws -> BondFinder {
        BondFinder(bonds: [
            try Self.peer(1, name: "Lamp"), try Self.peer(2, name: "Twin"),
            try Self.peer(3, name: "Twin"), try Self.peer(4, name: "a\u{1B}b"),
            try Self.peer(5, name: nil),
        ])
    }

    @Test("A bond is found by name, by address with or without its kind, and by identifier")
    func finds() throws {
        let finder = try finder()
        let lamp = finder.bonds[0]
        for text in [
            "Lamp", "C4:F0:00:00:00:01", "C4:F0:00:00:00:01/random",
            lamp.identifier.description, lamp.identifier.description.lowercased(),
        ] {
            #expect(try finder.find(Target(text)) == lamp, "\(text)")
        }
    }

    @Test("A bond is found by its name in any case")
    func findsOtherCase() throws {
        let finder = try finder()
        #expect(try finder.find(Target("lAMP")) == finder.find(Target("Lamp")))
    }

    @Test("A bond is found by the printed, escaped form of its name")
    func findsEscaped() throws {
        let finder = try finder()
        #expect(try finder.find(Target("a\\u{1B}b")) == finder.bonds[3])
    }

    @Test(
        "A similar name or address finds no bond",
        arguments: ["Lam", "C4:F0:00:00:00:01/public", "Unknown"]
    )
    func findsNothing(text: String) throws {
        let finder = try finder()
        #expect(try finder.find(Target(text)) == nil)
        #expect {
            try finder.require(Target(text))
        } throws: {
            ($0 as? ProgramFailure)?.status == .notFound
        }
    }

    @Test("The error for an unknown bond suggests a similar name, if there is one")
    func suggestsName() throws {
        let finder = try finder()
        let advice = try ["Lmap", "Door", "C4:F0:00:00:00:09"].map { text in
            try #require(throws: ProgramFailure.self) { try finder.require(Target(text)) }.advice
        }
        #expect(advice == ["did you mean 'Lamp'?", "see 'lanyard bonds'", "see 'lanyard bonds'"])
        let none = BondFinder(bonds: [])
        let failure = try #require(throws: ProgramFailure.self) { try none.require(Target("Lamp")) }
        #expect(failure.advice == "there are no bonds")
    }

    @Test("If several bonds have the name, the error lists their identifiers")
    func ambiguity() throws {
        let finder = try finder()
        #expect {
            try finder.find(Target("Twin"))
        } throws: {
            guard let failure = $0 as? ProgramFailure else { return false }
            let isComplete = finder.bonds[1...2].allSatisfy {
                failure.line.contains($0.identifier.description)
            }
            return failure.status == .usage && isComplete
        }
    }

    @Test("An identifier without a bond is an error")
    func unknownIdentifier() throws {
        let finder = try finder()
        let target = try Target("6F9619FF-8B86-4011-B42D-00C04FC964FF")
        #expect(throws: ProgramFailure.self) { try finder.find(target) }
    }

    @Test("Names in the list are escaped")
    func lines() throws {
        let peer = try Self.peer(4, name: "a\u{1B}[2Jb")
        let expected =
            "\(peer.identifier)  \"a\\u{1B}[2Jb\" C4:F0:00:00:00:04/random: "
            + "Secure Connections, authenticated, 16 bytes"
        #expect(BondText.line(peer) == expected)
        #expect(!BondText.json(peer).compact.contains("\u{1B}"))
    }
}
