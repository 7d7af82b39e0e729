// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport

/// A link between a host of ours and BlueZ's kernel, whichever of the two is the Central.
struct LinkScene: Sendable {
    let bluez: BlueZ
    let host: BluetoothHost
    let link: Link
    /// Who consents to pairings on our side.
    let person: Person

    /// Where BlueZ's kernel is, and where it sees our host.
    let kernelAddress: DeviceAddress
    let ourAddress: DeviceAddress
}

/// Gives `body` a link with BlueZ in that role.
///
/// - Parameters:
///   - io: what BlueZ's user can do when asked.
///   - configuration: how our host behaves.
///   - prepare: what to tell BlueZ before there is a link.
func withLink(
    _ setting: Setting,
    as role: BlueZRole,
    _ scenario: String,
    io: BlueZ.InputOutput = .noInputNoOutput,
    _ configuration: HostConfiguration = HostConfiguration(),
    prepare: @escaping @Sendable (BlueZ) async throws -> Void = { _ in },
    _ body: @escaping @Sendable (LinkScene) async throws -> Void
) async throws {
    try await withBlueZ(setting, as: role, scenario) { bluez in
        let kernelAddress = try await bluez.powerOnForLinks(io: io)
        try await prepare(bluez)
        let person = Person()
        var configuration = configuration
        configuration.pairingDelegate = person
        let host = try await bluez.makeHost(configuration)
        let ourAddress = await host.identityAddress
        let link =
            switch role {
            case .peripheral: try await host.reach(bluez, at: kernelAddress)
            case .central: try await bluez.reach(host, at: ourAddress)
            }
        let scene = LinkScene(
            bluez: bluez,
            host: host,
            link: link,
            person: person,
            kernelAddress: kernelAddress,
            ourAddress: ourAddress
        )
        try await body(scene)
    }
}

extension BlueZ {
    /// Powers the adapter, and returns the address that it has then.
    func powerOnForLinks(io: InputOutput = .noInputNoOutput) async throws -> DeviceAddress {
        let adapter = try await powerOn(io: io)
        let kind: DeviceAddress.Kind = adapter["AddressType"].text == "random" ? .random : .public
        guard let text = adapter["Address"].text, let address = DeviceAddress(text, kind: kind)
        else { throw Refusal("NoAddress", text: "\(adapter)") }
        return address
    }

    /// The number that `reach` opens a channel to.
    private static let standingPSM: L2CAP.SPSM = 0x00F1

    /// Has the kernel connect to a host of ours, by opening a channel that says nothing: as long as
    /// that is open, the kernel keeps the link.
    fileprivate func reach(_ host: BluetoothHost, at address: DeviceAddress) async throws -> Link {
        let listener = try await host.listen(psm: Self.standingPSM)
        let set = try await host.advertise(Advertising(AdvertisingContent(localName: "ours")))
        let standing = KernelChannel(work: .openAndKeepSilent, psm: Self.standingPSM)
        try await start(standing, to: address, as: "standing")
        let channel = try await within(Limits.step, "the kernel's link") {
            try await listener.accept()
        }
        await set.stop()
        await listener.close()
        guard let channel else { throw HostError.closed }
        return channel.link
    }
}

extension BluetoothHost {
    /// Connects to BlueZ, which advertises for that.
    fileprivate func reach(_ bluez: BlueZ, at address: DeviceAddress) async throws -> Link {
        try await bluez.advertise(name: "theirs")
        let options = ConnectOptions(timeout: Limits.step)
        let link = try await connect(to: address, options: options)
        try await bluez.stopAdvertising()
        return link
    }
}
