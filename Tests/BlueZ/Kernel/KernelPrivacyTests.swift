// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing

/// Private addresses of each side, which the other side resolves. Linux resolves them without the
/// controller: it clears our controller's resolving list and adds no device to it.
@Suite(.machines) struct KernelPrivacyTests {
    @Test("The host resolves the private address of a bonded BlueZ", arguments: Setting.all)
    func hostResolves(_ setting: Setting) async throws {
        try await withKernel(
            setting,
            as: .peripheral,
            "privacy of BlueZ, our controller",
            BlueZConfiguration(privacy: "device")
        ) { fixture in
            let host = try await fixture.kernelAir.makeHost(.bonding)
            try await fixture.serveSharedService()
            let unbonded = try await fixture.discover(host) { $0.data.localName == "Kernel" }
            #expect(unbonded.address.randomKind == .resolvablePrivate)
            let link = try await host.connect(to: unbonded.address)
            let shared = try await FoundSharedService(on: link)
            _ = try await link.pair()
            #expect(await host.bonds.map(\.identity) == [KernelAir.kernelAddress])
            #expect(try await link.read(shared.secret) == SharedService.secretValue)
            try await fixture.end(link)

            let bonded = try await fixture.discover(host) { $0.data.localName == "Kernel" }
            #expect(bonded.isIdentityResolved)
            #expect(bonded.address == KernelAir.kernelAddress)
            let again = try await host.connect(to: KernelAir.kernelAddress)
            #expect(try await again.read(shared.secret.valueHandle) == SharedService.secretValue)
        }
    }

    @Test("The kernel resolves the private address of the bonded host", arguments: Setting.all)
    func kernelResolves(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "our privacy, our controller") { fixture in
            let host = try await fixture.kernelAir.makeHost(.bondingPrivately)
            try await host.publish(SharedService.ofOurs)
            let path = try await fixture.findOurs(host)
            let privateAddress = try await fixture.bluez.device(path)["Address"].text
            #expect(privateAddress != "\(await host.identityAddress)")
            try await fixture.bluez.connect(path)
            try await fixture.bluez.pair(path)
            #expect(
                try await fixture.bluez.read(SharedService.secret, from: path)
                    == SharedService.secretValue
            )
            let identity = try await fixture.bluez.device(path)["Address"].text
            #expect(identity == "\(await host.identityAddress)")
            let link = try #require(await host.links.first)
            try await link.disconnect()
            try await fixture.bluez.change(of: path, "Connected", to: .boolean(false))

            // As soon as our host uses another address, the kernel has to resolve it to our host.
            // The kernel connects to the address that it receives first, so the test begins right
            // after a change.
            let first = try #require(try await fixture.wire().peers.first)
            let listener = try await fixture.kernelAir.makeHost()
            let present = try await fixture.discover(listener) { $0.data.localName == "Ours" }
                .address
            _ = try await fixture.discover(listener) {
                $0.data.localName == "Ours" && $0.address != present
                    && HCI.PeerAddress($0.address) != first
            }
            try await fixture.bluez.connect(path)
            #expect(
                try await fixture.bluez.read(SharedService.secret, from: path)
                    == SharedService.secretValue
            )
            #expect(try await fixture.bluez.call("devices").members.count == 1)
            let wire = try await fixture.wire()
            #expect(Set(wire.peers).count > 1)
            #expect(wire.commands.contains(.leClearResolvingList))
            #expect(!wire.commands.contains(.leAddDeviceToResolvingList))
        }
    }
}
