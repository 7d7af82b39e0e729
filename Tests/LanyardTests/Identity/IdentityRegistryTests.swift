// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite("Identity registry")
struct IdentityRegistryTests {
    static let source = IdentitySource.manufacturerData(company: 0xFFFF, range: 0..<1)

    static func device(_ number: UInt8) -> UUID {
        UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    static func identity(_ number: UInt8) -> AccessoryIdentity {
        .manufacturer(company: 0xFFFF, identifier: Data([number]))
    }

    /// Returns a discovery with a system identifier and, optionally, the device's own identifier.
    static func discovery(_ number: UInt8, says own: UInt8? = nil) -> Discovery {
        Discovery(
            identifier: device(number),
            manufacturerData: own.map { Data([0xFF, 0xFF, $0]) }
        )
    }

    private var registry = IdentityRegistry()

    @Test("With the system as the source, a device has the system's identity")
    mutating func system() {
        let (identity, actions) = registry.identify(
            Self.discovery(1, says: 9),
            by: .system,
            now: .zero
        )
        #expect(identity == .system(Self.device(1)))
        #expect(actions == [])
        #expect(registry.systemIdentifiers(of: identity) == [Self.device(1)])
    }

    @Test("A device whose address changes keeps its identity")
    mutating func rotation() {
        for number in UInt8(1)...3 {
            let now = Duration.seconds(900 * Int(number))
            let met = registry.identify(Self.discovery(number, says: 9), by: Self.source, now: now)
            #expect(met.identity == Self.identity(9))
            #expect(met.actions == [])
        }
        let freshest = registry.systemIdentifiers(of: Self.identity(9))
        #expect(freshest == [Self.device(3), Self.device(2), Self.device(1)])
        #expect(registry.count == 1)
    }

    @Test("A device that reveals its identifier late is merged with its earlier identity")
    mutating func merge() {
        _ = registry.identify(Self.discovery(1, says: 9), by: Self.source, now: .zero)
        let unknown = registry.identify(Self.discovery(2), by: Self.source, now: .seconds(1))
        #expect(unknown.identity == .system(Self.device(2)))
        let known = registry.identify(Self.discovery(2, says: 9), by: Self.source, now: .seconds(2))
        #expect(known.identity == Self.identity(9))
        #expect(known.actions == [.merged(from: .system(Self.device(2)), into: Self.identity(9))])
        #expect(registry.identity(of: Self.device(2)) == Self.identity(9))
        #expect(registry.count == 1)
    }

    @Test("An advertisement without the identifier belongs to the owner of the system's identifier")
    mutating func silentAdvertisement() {
        _ = registry.identify(Self.discovery(1, says: 9), by: Self.source, now: .zero)
        let met = registry.identify(Self.discovery(1), by: Self.source, now: .seconds(1))
        #expect(met.identity == Self.identity(9))
    }

    @Test(
        "A system identifier that was assigned again moves to the new device, unless it has a link"
    )
    mutating func reuse() {
        _ = registry.identify(Self.discovery(1, says: 8), by: Self.source, now: .zero)
        let met = registry.identify(Self.discovery(1, says: 9), by: Self.source, now: .seconds(1))
        #expect(met.identity == Self.identity(9))
        #expect(met.actions == [])
        #expect(registry.systemIdentifiers(of: Self.identity(8)) == [])
        _ = registry.linked(Self.device(1), now: .seconds(2))
        let other = registry.identify(Self.discovery(1, says: 7), by: Self.source, now: .seconds(3))
        #expect(other.identity == Self.identity(9))
    }

    @Test("A remembered accessory is recognized by its own identifier until it is forgotten")
    mutating func remembered() {
        #expect(registry.adopt(Self.device(1), as: Self.identity(9), now: .zero) == [])
        let met = registry.identify(Self.discovery(2, says: 9), by: Self.source, now: .seconds(1))
        #expect(met.identity == Self.identity(9))
        #expect(
            registry.systemIdentifiers(of: Self.identity(9)) == [Self.device(2), Self.device(1)]
        )
        registry.forget(Self.identity(9))
        #expect(registry.count == 0)
        #expect(registry.identity(of: Self.device(1)) == nil)
        #expect(registry.identity(of: Self.device(2)) == nil)
    }

    // MARK: Duplicates

    @Test("Of two links to one device, the older one stays if it is alive")
    mutating func duplicateOfLiving() {
        _ = registry.identify(Self.discovery(1, says: 9), by: Self.source, now: .zero)
        #expect(registry.linked(Self.device(1), now: .zero) == [])
        registry.received(Self.device(1), now: .seconds(895))
        _ = registry.identify(Self.discovery(2, says: 9), by: Self.source, now: .seconds(900))
        #expect(registry.linkedIdentifier(of: Self.identity(9)) == Self.device(1))
        let actions = registry.linked(Self.device(2), now: .seconds(901))
        #expect(actions == [.close(Self.device(2), keeping: Self.device(1))])
        #expect(registry.linkedIdentifier(of: Self.identity(9)) == Self.device(1))
        registry.unlinked(Self.device(2))
        #expect(registry.linkedIdentifier(of: Self.identity(9)) == Self.device(1))
    }

    @Test("Of two links to one device, the newer one stays if the older is silent")
    mutating func duplicateOfSilent() {
        _ = registry.identify(Self.discovery(1, says: 9), by: Self.source, now: .zero)
        _ = registry.linked(Self.device(1), now: .zero)
        _ = registry.identify(Self.discovery(2, says: 9), by: Self.source, now: .seconds(900))
        let actions = registry.linked(Self.device(2), now: .seconds(901))
        #expect(actions == [.close(Self.device(1), keeping: Self.device(2))])
        #expect(registry.linkedIdentifier(of: Self.identity(9)) == Self.device(2))
        // The closing is requested only once.
        #expect(registry.linked(Self.device(2), now: .seconds(902)) == [])
        registry.unlinked(Self.device(1))
        #expect(registry.linkedIdentifier(of: Self.identity(9)) == Self.device(2))
    }

    @Test("A second link is closed even if it is recognized as a duplicate only later")
    mutating func lateDuplicate() {
        _ = registry.identify(Self.discovery(1, says: 9), by: Self.source, now: .zero)
        _ = registry.linked(Self.device(1), now: .zero)
        #expect(registry.linked(Self.device(2), now: .seconds(1)) == [])
        registry.received(Self.device(1), now: .seconds(2))
        let met = registry.identify(Self.discovery(2, says: 9), by: Self.source, now: .seconds(3))
        #expect(
            met.actions == [
                .merged(from: .system(Self.device(2)), into: Self.identity(9)),
                .close(Self.device(2), keeping: Self.device(1)),
            ]
        )
    }

    // MARK: Bounds

    @Test(
        "Beyond the limit, the accessory seen longest ago is removed, unless remembered or linked"
    )
    func accessoryLimit() {
        var registry = IdentityRegistry(accessoryLimit: 4)
        _ = registry.adopt(Self.device(1), as: .system(Self.device(1)), now: .zero)
        _ = registry.linked(Self.device(2), now: .seconds(1))
        for number in UInt8(3)...9 {
            let now = Duration.seconds(Int(number))
            _ = registry.identify(Self.discovery(number), by: .system, now: now)
        }
        #expect(registry.count == 4)
        let known = (UInt8(1)...9).filter { registry.identity(of: Self.device($0)) != nil }
        #expect(known == [1, 2, 8, 9])
    }

    @Test(
        "Beyond the limit, the identifier seen longest ago is removed, unless it has a link"
    )
    mutating func identifierLimit() {
        _ = registry.identify(Self.discovery(0, says: 9), by: Self.source, now: .zero)
        _ = registry.linked(Self.device(0), now: .zero)
        for number in UInt8(1)...40 {
            let now = Duration.seconds(900 * Int(number))
            _ = registry.identify(Self.discovery(number, says: 9), by: Self.source, now: now)
        }
        let known = registry.systemIdentifiers(of: Self.identity(9))
        #expect(known.count == IdentityRegistry.identifierLimit)
        #expect(known.last == Self.device(0))
        #expect(known.first == Self.device(40))
        #expect(registry.identity(of: Self.device(1)) == nil)
    }

    @Test(
        "After random events, a linked device has an owner, and an accessory at most one link",
        arguments: RunSeed.seeds(4)
    )
    func randomWalk(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var walk = IdentityWalk()
        for _ in 0..<5000 { walk.step(using: &generator) }
        #expect(walk.violation == nil)
    }
}

/// A walk that makes random steps on a registry, and keeps the first rule that they violate.
struct IdentityWalk {
    private var registry = IdentityRegistry(accessoryLimit: 8)
    private var links: Set<UUID> = []
    private var closing: Set<UUID> = []
    private var now = Duration.zero
    private(set) var violation: String?

    mutating func step(using generator: inout SplitMix64) {
        let number = UInt8.random(in: 0..<30, using: &generator)
        let device = IdentityRegistryTests.device(number)
        now += .milliseconds(Int.random(in: 0..<4000, using: &generator))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
            if links.insert(device).inserted { follow(registry.linked(device, now: now)) }
        case 1, 2:
            registry.unlinked(device)
            links.remove(device)
            closing.remove(device)
        case 3:
            registry.received(device, now: now)
        case 4 where links.isEmpty:
            registry.forget(IdentityRegistryTests.identity(number % 6))
        default:
            let own = generator.happens(oneIn: 3) ? nil : number % 6
            let discovery = IdentityRegistryTests.discovery(number, says: own)
            follow(registry.identify(discovery, by: IdentityRegistryTests.source, now: now).actions)
        }
        check()
    }

    private mutating func follow(_ actions: [IdentityAction]) {
        for case .close(let device, let kept) in actions {
            if !closing.insert(device).inserted {
                violation = violation ?? "a link is closed twice"
            }
            if !links.contains(device) || !links.contains(kept) || closing.contains(kept) {
                violation = violation ?? "a missing link is closed or kept"
            }
        }
    }

    private mutating func check() {
        if registry.count > 8 + links.count { violation = violation ?? "too many accessories" }
        var owners: [AccessoryIdentity: UUID] = [:]
        for device in links.subtracting(closing) {
            guard let owner = registry.identity(of: device) else {
                violation = violation ?? "a linked device is unknown"
                continue
            }
            if owners.updateValue(device, forKey: owner) != nil {
                violation = violation ?? "an accessory has two links"
            }
            if !registry.systemIdentifiers(of: owner).contains(device) {
                violation = violation ?? "an owner lacks its identifier"
            }
        }
    }
}
