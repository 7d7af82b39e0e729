// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothL2CAP
import BluetoothPort
import BluetoothTypes
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Enhanced ATT bearers with the port")
struct PortBearerTests {
    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: .enhancedATT)
        return peer
    }()

    @Test(
        "A read whose enhanced bearer ends fails with an error that does not mean the end of the link",
        arguments: [false, true]
    )
    func ends(byTimeout: Bool) throws {
        let harness = PortHarness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.on { host in
            host.core.withLink(link, now: host.executor.now) { link, _ in
                link.security = LinkSecurity(isEncrypted: true, keySize: 16)
            }
        }
        harness.channels(of: peer.address) { $0.open(.enhancedATT, .enhanced) }
        harness.act { $0.peers[peer.address]?.isSilent = true }
        let adapter = HostAdapter(harness.host)
        let errors = Mutex<[any Error]>([])
        harness.on { _ in
            for _ in 0..<2 {
                let read = PortRequest.gatt(.read(ModelServer.readableHandle))
                adapter.begin(read, on: link) { result in
                    guard case .failure(let error) = result else { return }
                    errors.withLock { $0.append(error) }
                }
            }
        }
        #expect(errors.withLock { $0.isEmpty })
        if byTimeout {
            harness.act { $0.sendPDU(.readResponse(.init(value: [9])), from: peer.address) }
            harness.executor.advance(by: .seconds(31))
        } else {
            harness.channels(of: peer.address) { $0.close() }
        }
        let found = errors.withLock { $0 }
        #expect(found.count == 1 && found.first is PortError, "\(found)")
        #expect(try harness.get { $0.core.isOpen(link) })
    }
}
