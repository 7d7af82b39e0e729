// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport

/// A link between our host and BlueZ's kernel, in either role.
struct LinkFixture: Sendable {
    let bluez: BlueZ
    let host: BluetoothHost
    let link: Link
    /// The user of our host. This user consents to pairings.
    let person: Person
    /// The address of BlueZ's controller.
    let kernelAddress: DeviceAddress
    /// The identity address of our host.
    let ourAddress: DeviceAddress
}

/// Gives `body` a link on which BlueZ has this role.
///
/// - Parameters:
///   - io: The IO capability of BlueZ's user.
///   - configuration: Our host's configuration.
///   - prepare: Configures BlueZ before there is a link.
func withLink(
    _ setting: Setting,
    as role: BlueZRole,
    _ scenario: String,
    io: BlueZ.InputOutput = .noInputNoOutput,
    _ configuration: HostConfiguration = HostConfiguration(),
    prepare: @escaping @Sendable (BlueZ) async throws -> Void = { _ in },
    _ body: @escaping @Sendable (LinkFixture) async throws -> Void
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
        let fixture = LinkFixture(
            bluez: bluez,
            host: host,
            link: link,
            person: person,
            kernelAddress: kernelAddress,
            ourAddress: ourAddress
        )
        try await body(fixture)
    }
}

extension BlueZ {
    /// Powers the adapter on. Returns the address that it has then.
    func powerOnForLinks(io: InputOutput = .noInputNoOutput) async throws -> DeviceAddress {
        let adapter = try await powerOn(io: io)
        let kind: DeviceAddress.Kind = adapter["AddressType"].text == "random" ? .random : .public
        guard let text = adapter["Address"].text, let address = DeviceAddress(text, kind: kind)
        else { throw Refusal("NoAddress", text: "\(adapter)") }
        return address
    }

    /// The SPSM of the channel that `reach` opens.
    private static let standingPSM: L2CAP.SPSM = 0x00F1

    /// Makes the kernel connect to our host by opening a channel without data. The kernel keeps the
    /// link as long as that channel is open.
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
    /// Makes BlueZ advertise, and connects to it.
    fileprivate func reach(_ bluez: BlueZ, at address: DeviceAddress) async throws -> Link {
        try await bluez.advertise(name: "theirs")
        let options = ConnectOptions(timeout: Limits.step)
        let link = try await connect(to: address, options: options)
        try await bluez.stopAdvertising()
        return link
    }
}
