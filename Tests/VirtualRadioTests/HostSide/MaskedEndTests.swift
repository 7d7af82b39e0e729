// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Links whose disconnection event is masked")
struct MaskedEndTests {
    @Test("The end of a link frees its buffers, even if Disconnection Complete is masked")
    func hostBuffers() throws {
        let harness = try LinkHarness()
        let all = HCI.EventMask(rawValue: .max)
        harness.hosts[1].command(HCI.SetEventMask(mask: all.subtracting(.disconnectionComplete)))
        harness.hosts[1].command(HCI.HostBufferSize(aclPacketLength: 251, aclPacketCount: 1))
        harness.hosts[1].command(HCI.SetControllerToHostFlowControl(mode: .acl))
        var handles: [ConnectionHandle] = []
        for number in UInt8(1)...2 {
            let link = try harness.connect()
            handles.append(try harness.handle(link, .peripheral))
            let handle = try harness.handle(link, .central)
            harness.hosts[0].send([[number], [number + 10]], on: handle)
            harness.world.run(for: .milliseconds(200))
            harness.hosts[0].command(HCI.Disconnect(connectionHandle: handle))
            harness.world.run(for: .milliseconds(200))
        }
        #expect(harness.hosts[1].disconnection == nil)
        #expect(handles.map { harness.hosts[1].bytes($0) } == [[1], [2]])
    }
}
