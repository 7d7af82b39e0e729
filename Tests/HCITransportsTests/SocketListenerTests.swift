// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Listening sockets", .timeLimit(.minutes(1)))
struct SocketListenerTests {
    @Test(
        "A listener pauses while the process or the system has no free descriptors",
        arguments: [EMFILE, ENFILE]
    )
    func pause(code: Int32) async throws {
        try await withExecutor { executor in
            let path = temporaryPath()
            defer { unlink(path) }
            let socket = try Descriptor.listeningSocket(at: SocketAddress(path: path))
            // The connection stays in the queue, because the failed attempts do not take it.
            let transport = UnixTransport(path: path)
            async let opening: Void = transport.open(on: executor) { _ in }
            let attempts = Mutex<[Instant]>([])
            let accepted = Promise<Void>()
            let listener = SocketListener(socket, executor: executor) {
                socket throws(SystemError) in
                let count = attempts.withLock { attempts in
                    attempts.append(executor.now)
                    return attempts.count
                }
                guard count > 2 else { throw SystemError(code: code) }
                _ = Descriptor(owning: accept(socket.number, nil, nil))
                accepted.fulfil(())
            }
            await executor.run { listener.listen() }
            await accepted.value
            try await opening
            let times = attempts.withLock { $0 }
            #expect(times.count == 3)
            for (earlier, later) in zip(times, times.dropFirst()) {
                #expect(later - earlier >= SocketListener.pauseWithoutDescriptors)
            }
            await executor.run {
                transport.close()
                listener.close()
            }
        }
    }
}
