// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HCITransports

@Suite("In-process transport")
struct InProcessTransportTests {
    private let near: InProcessTransport
    private let far: InProcessTransport
    private let nearLog = Recorder()
    private let farLog = Recorder()

    init() {
        (near, far) = InProcessTransport.pair()
    }

    @Test("Bytes pass in both directions, in order, between two executors")
    func bothWays() async throws {
        try await withExecutor { one in
            try await withExecutor { two in
                try await near.open(on: one, receive: nearLog.receive)
                try await far.open(on: two, receive: farLog.receive)
                await one.run { [near] in
                    near.send([[1], [2, 3]])
                    near.send([[4]])
                }
                await two.run { [far] in far.send([[9]]) }
                let log = await farLog.wait { $0.bytes.count >= 4 }
                #expect(log.bytes == [1, 2, 3, 4])
                #expect(log.pieces == [3, 1])
                #expect(await nearLog.wait { !$0.bytes.isEmpty }.bytes == [9])
            }
        }
    }

    @Test("Bytes that are sent before the other end opens are kept")
    func early() async throws {
        try await withExecutor { executor in
            try await near.open(on: executor, receive: nearLog.receive)
            await executor.run { [near] in near.send([[1]]) }
            try await far.open(on: executor, receive: farLog.receive)
            await executor.run { [near] in near.send([[2]]) }
            #expect(await farLog.wait { $0.bytes.count >= 2 }.bytes == [1, 2])
        }
    }

    @Test("The transport closes with an error when too much data waits")
    func overflow() async throws {
        try await withExecutor { executor in
            try await near.open(on: executor, receive: nearLog.receive)
            let packet = [UInt8](repeating: 0, count: InProcessTransport.pendingBytesLimit)
            await executor.run { [near] in
                near.send([packet])
                near.send([[1]])
            }
            let limit = InProcessTransport.pendingBytesLimit
            #expect(await nearLog.waitForClosing().closings == [.outputOverflow(limit: limit)])
        }
    }

    @Test("Closing one end closes both, once, and both can be opened again")
    func closes() async throws {
        try await withExecutor { executor in
            for count in 1...3 {
                try await near.open(on: executor, receive: nearLog.receive)
                try await far.open(on: executor, receive: farLog.receive)
                await #expect(throws: TransportError.alreadyOpen("in-process:0")) {
                    try await near.open(on: executor) { _ in }
                }
                await executor.run { [near, far] in
                    far.close()
                    near.close()
                    near.send([[1]])
                }
                #expect(await nearLog.wait { $0.closings.count >= count }.closings.count == count)
                #expect(
                    await farLog.wait { $0.closings.count >= count }.closings.last == .some(nil)
                )
            }
            #expect(nearLog.log.closings.allSatisfy { $0 == .closedByPeer("in-process:1") })
            #expect(farLog.log.bytes.isEmpty)
        }
    }
}
