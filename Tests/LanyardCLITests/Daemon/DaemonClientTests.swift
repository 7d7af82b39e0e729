// SPDX-License-Identifier: Apache-2.0

import BlueZAdapter
import BluetoothPort
import BusTestSupport
import Testing

@testable import LanyardCLI

/// Tasks that wait for the end of a link, or for a change of the bonds.
@Suite("A client of the Bluetooth daemon", .timeLimit(.minutes(1)))
struct DaemonClientTests {
    @Test(
        "The number of tasks that wait for the end of a link is limited, and canceled ones are removed"
    )
    func waitsForEnd() async throws {
        let daemon = try FakeDaemon()
        let client = DaemonClient(BlueZAdapter(bus: daemon.bus.address))
        await client.open()
        for await state in client.states where state == .ready { break }
        let address = try #require(DeviceAddress("C4:F0:00:00:00:01", kind: .random))
        let link = try #require(try await client.link(to: address) as? DaemonPeer).link

        let extra = 3
        await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<DaemonClient.waiterLimit + extra {
                group.addTask {
                    do {
                        _ = try await client.end(of: link)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            // Only the tasks beyond the limit end, because the link is still open.
            for _ in 0..<extra {
                #expect(await group.next() as? PortError == .tooManyRequests)
            }
            group.cancelAll()
            for await error in group { #expect(error is CancellationError) }
        }
        #expect(await client.linkEnds.isEmpty)

        async let end = client.end(of: link)
        daemon.disconnectDevice()
        #expect(try await end == .linkEnded(.unknown))
        await client.shutDown()
        daemon.bus.stop()
    }

    @Test("A connection to a device that is connected already returns its link")
    func connectsAgain() async throws {
        let daemon = try FakeDaemon()
        let client = DaemonClient(BlueZAdapter(bus: daemon.bus.address))
        await client.open()
        for await state in client.states where state == .ready { break }
        let address = try #require(DeviceAddress("C4:F0:00:00:00:01", kind: .random))
        let link = try #require(try await client.link(to: address) as? DaemonPeer).link
        let again = try #require(try await client.link(to: address) as? DaemonPeer).link
        #expect(again == link)
        await client.shutDown()
        daemon.bus.stop()
    }

    /// The daemon of this test sends the values of its services as signals.
    @Test("A subscription ends at the accessory when the reader of its values stops")
    func unsubscribes() async throws {
        let daemon = try FakeDaemon()
        let client = DaemonClient(BlueZAdapter(bus: daemon.bus.address))
        await client.open()
        for await state in client.states where state == .ready { break }
        let address = try #require(DeviceAddress("C4:F0:00:00:00:01", kind: .random))
        let peer = try #require(try await client.link(to: address) as? DaemonPeer)
        let found = try await peer.discoverCharacteristics(uuid: BluetoothUUID(0x2A37))
        let rate = try #require(found.first)
        let values = try await peer.subscribe(to: rate, kind: nil)
        await daemon.called("StartNotify")
        let reader = Task { for try await _ in values {} }
        reader.cancel()
        await daemon.called("StopNotify")
        // A further subscription begins again.
        let next = try await peer.subscribe(to: rate, kind: nil)
        await daemon.called("StartNotify", times: 2)
        withExtendedLifetime(next) {}
        await client.shutDown()
        daemon.bus.stop()
    }

    @Test("A daemon that starts again has not removed the bonds that it has not loaded yet")
    func restart() async throws {
        let second = FakeDaemon.adapter + "/dev_C4_F0_00_00_00_02"
        var objects = FakeDaemon.standard
        objects[FakeDaemon.device]?["org.bluez.Device1"]?["Paired"] = .boolean(true)
        objects[second] = objects[FakeDaemon.device]
        objects[second]?["org.bluez.Device1"]?["Address"] = .string("C4:F0:00:00:00:02")
        let daemon = try FakeDaemon(objects: objects)
        let client = DaemonClient(BlueZAdapter(bus: daemon.bus.address))
        await client.open()
        for await state in client.states where state == .ready { break }
        let events = await client.bondEvents()
        // The daemon reports its objects one after another, and turns the adapter on at the end.
        daemon.on("GetManagedObjects") { call, daemon in
            daemon.bus.refuse(call, "org.freedesktop.DBus.Error.NoReply")
        }
        daemon.bus.setOwned("org.bluez", false)
        for await state in client.states where state == .unavailable { break }
        daemon.bus.setOwned("org.bluez", true)
        var off = try #require(objects[FakeDaemon.adapter])
        off["org.bluez.Adapter1"]?["Powered"] = .boolean(false)
        await daemon.called("GetManagedObjects", times: 2)
        for (path, interfaces) in [
            (FakeDaemon.adapter, off), (FakeDaemon.device, objects[FakeDaemon.device] ?? [:]),
            (second, objects[second] ?? [:]),
        ] {
            daemon.add(path, interfaces)
        }
        daemon.setPowered(true)
        for await state in client.states where state == .ready { break }
        daemon.remove(FakeDaemon.device)
        let event = await events.first { _ in true }
        guard case .bondRemoved(let bond)? = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(bond.identity.description == "C4:F0:00:00:00:01")
        await client.shutDown()
        daemon.bus.stop()
    }

    @Test("A completed removal of a bond leaves no waiting task")
    func waitsForBonds() async throws {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.device]?["org.bluez.Device1"]?["Paired"] = .boolean(true)
        let daemon = try FakeDaemon(objects: objects)
        daemon.on("RemoveDevice") { call, daemon in
            daemon.remove(FakeDaemon.device)
            daemon.bus.reply(to: call)
        }
        let client = DaemonClient(BlueZAdapter(bus: daemon.bus.address))
        await client.open()
        for await state in client.states where state == .ready { break }
        let bond = try #require(await client.accessoryBonds().first)
        try await client.remove(bond)
        #expect(await client.accessoryBonds().isEmpty)
        #expect(await client.bondChanges.isEmpty)
        await client.shutDown()
        daemon.bus.stop()
    }
}
