// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Links whose disconnection event is masked")
struct MaskedEndTests {
    @Test("The end of such a link frees its buffers")
    func hostBuffers() throws {
        let bench = try LinkBench()
        let all = HCI.EventMask(rawValue: .max)
        bench.hosts[1].command(HCI.SetEventMask(mask: all.subtracting(.disconnectionComplete)))
        bench.hosts[1].command(HCI.HostBufferSize(aclPacketLength: 251, aclPacketCount: 1))
        bench.hosts[1].command(HCI.SetControllerToHostFlowControl(mode: .acl))
        var handles: [ConnectionHandle] = []
        for number in UInt8(1)...2 {
            let link = try bench.connect()
            handles.append(try bench.handle(link, .peripheral))
            let handle = try bench.handle(link, .central)
            bench.hosts[0].send([[number], [number + 10]], on: handle)
            bench.world.run(for: .milliseconds(200))
            bench.hosts[0].command(HCI.Disconnect(connectionHandle: handle))
            bench.world.run(for: .milliseconds(200))
        }
        #expect(bench.hosts[1].disconnection == nil)
        #expect(handles.map { bench.hosts[1].octets($0) } == [[1], [2]])
    }
}
