// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// A world with hosts whose links are made directly, without advertising.
final class LinkHarness {
    let world: World
    private(set) var hosts: [StreamingHost] = []

    /// Creates a world with this many hosts, a meter apart.
    init(
        hosts count: Int = 2,
        seed: UInt64 = 1,
        _ adjust: (inout ControllerConfiguration) -> Void = { _ in }
    ) throws {
        world = World(seed: seed)
        for _ in 0..<count { try addHost(adjust) }
    }

    /// Adds another host.
    func addHost(_ adjust: (inout ControllerConfiguration) -> Void = { _ in }) throws {
        let number = hosts.count
        var configuration = ControllerConfiguration(
            name: "host \(number)",
            at: Position(x: Double(number), y: 0)
        )
        adjust(&configuration)
        hosts.append(try StreamingHost(world, configuration))
    }

    /// The current state of a link.
    subscript(link: LinkID) -> RadioLink? {
        get { world.core.ether.links[link] }
        set { world.core.ether.links[link] = newValue }
    }

    /// Requests a link from one host to another host. Neither side has opened the link.
    func propose(
        _ central: Int = 0,
        _ peripheral: Int = 1,
        _ parameters: LinkParameters = .quick,
        _ adjust: (inout LinkProposal) -> Void = { _ in }
    ) throws -> LinkID {
        var proposal = LinkProposal(
            central: hosts[central].radio,
            centralAddress: hosts[central].address,
            peripheralAddress: hosts[peripheral].address,
            parameters: parameters
        )
        adjust(&proposal)
        let link = world.core.ether.proposeLink(proposal)
        return try #require(link)
    }

    /// Makes a host accept the connection request as the peripheral.
    @discardableResult
    func join(_ link: LinkID, _ peripheral: Int = 1, peer central: Int = 0) -> ConnectionHandle? {
        world.core.ether.joinLink(
            link,
            as: hosts[peripheral].radio,
            LinkIdentity(peer: hosts[central].address),
            advertisingSet: nil
        )
    }

    /// Makes the central open the link.
    func open(_ link: LinkID, peer peripheral: Int = 1) {
        world.core.ether.openLink(link, LinkIdentity(peer: hosts[peripheral].address))
    }

    /// Makes a link from one host to another.
    @discardableResult
    func connect(
        _ central: Int = 0,
        _ peripheral: Int = 1,
        _ parameters: LinkParameters = .quick,
        _ adjust: (inout LinkProposal) -> Void = { _ in }
    ) throws -> LinkID {
        let link = try propose(central, peripheral, parameters, adjust)
        join(link, peripheral, peer: central)
        open(link, peer: peripheral)
        return link
    }

    /// Changes the modulation, the packet length and the key of both ends of the link.
    func tune(_ link: LinkID, _ modulation: Modulation, bytes: Int = 251, encrypted: Bool = false) {
        var length = LinkDataLength.minimum
        length.sendBytes = bytes
        length.sendTime = .microseconds(17_040)
        let key: [UInt8]? = encrypted ? [1, 2, 3] : nil
        for side in LinkSide.allCases {
            change(link, side) {
                $0.settings.sending = modulation
                $0.settings.receiving = modulation.phy
                $0.dataLength = length
                $0.sendingKey = key
                $0.receivingKey = key
            }
        }
    }

    /// Changes one end of the link without a procedure.
    func change(_ id: LinkID, _ side: LinkSide, _ change: (LinkEnd) -> Void) {
        guard let link = self[id] else { return }
        if let end = link[side] { change(end) }
        self[id] = link
    }

    /// Loses packets at all hosts from now on, each with the given probability. The links must be
    /// established before.
    func lose(_ probability: Double) {
        for host in hosts { world.setLoss(LossPlan(constantLoss: probability), at: host.id) }
    }

    /// Returns the link's handle at the host of this side.
    func handle(_ link: LinkID, _ side: LinkSide) throws -> ConnectionHandle {
        try #require(self[link]?[side]).handle
    }
}

extension LinkParameters {
    /// The parameters for tests that do not depend on them.
    static let quick = milliseconds(30)

    /// Returns parameters with this interval.
    static func milliseconds(
        _ interval: Double,
        latency: Int = 0,
        timeout: Duration = .seconds(2)
    ) -> LinkParameters {
        LinkParameters(
            interval: .microseconds(Int64(interval * 1_000)),
            latency: latency,
            supervisionTimeout: timeout
        )
    }
}
