// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Tracing transport")
struct TracingTransportTests {
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    private static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    private static let acl: [UInt8] = [0x02, 0x40, 0x20, 0x02, 0x00, 0xAA, 0xBB]

    private func readRecords(of path: String) throws -> [Btsnoop.Record] {
        var records: [Btsnoop.Record] = []
        try TraceFile.read(path) { records.append($0) }
        return records
    }

    /// Opens a traced transport on a pair, and passes its other end to `body`.
    private func withTrace(
        _ body: (AdapterExecutor, TracingTransport, InProcessTransport, Recorder, String)
            async throws -> Void
    ) async throws {
        let path = temporaryPath("btsnoop")
        defer { unlink(path) }
        try await withExecutor { executor in
            let (near, far) = InProcessTransport.pair()
            let traced = try TracingTransport(wrapping: near, path: path)
            let log = Recorder()
            try await traced.open(on: executor, receive: log.receive)
            try await far.open(on: executor) { _ in }
            try await body(executor, traced, far, log, path)
        }
    }

    @Test("After lost bytes, the trace finds packets again at the answer to Reset")
    func noise() async throws {
        let path = temporaryPath("btsnoop")
        defer { unlink(path) }
        try await withExecutor { executor in
            let (near, far) = InProcessTransport.pair()
            let traced = try TracingTransport(wrapping: LossyTransport(inner: near), path: path)
            #expect(traced.losesBytes)
            let log = Recorder()
            try await traced.open(on: executor, receive: log.receive)
            try await far.open(on: executor) { _ in }
            let noise: [UInt8] = [0x99, 0x04]
            let before: [UInt8] = [0x3E, 0x02]
            await executor.run { far.send([noise]) }
            await log.wait { $0.bytes.count == noise.count }
            await executor.run { traced.send([Self.reset]) }
            await executor.run { far.send([before + Self.resetAnswer, Self.acl]) }
            let all = noise + before + Self.resetAnswer + Self.acl
            await log.wait { $0.bytes.count == all.count }
            await executor.turnEnd()
            // The noise is recorded as it arrived. The bytes before the answer are not recorded.
            let packets = try readRecords(of: path).map { Array($0.packet) }
            #expect(packets == [noise, Self.reset, Self.resetAnswer, Self.acl])
            #expect(log.log.bytes == all)
        }
    }

    @Test("A pipe whose reader has gone stops the trace, and does not end the process")
    func pipeWithoutReader() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let path = temporaryPath("pipe")
            try #require(mkfifo(path, 0o600) == 0)
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            let trace = try TraceFile(creatingAt: path)
            unlink(path)
            close(reader)
            trace.append([0x04, 0xFF, 0x00], .received)
            trace.flush()
            try #require(trace.failure == .closedByPeer(path))
        }
    }

    @Test("An observer gets packets without keys, and whole packets again after a Reset")
    func observer() async throws {
        try await withExecutor { executor in
            let (near, far) = InProcessTransport.pair()
            let packets = Mutex<[[UInt8]]>([])
            let traced = TracingTransport(wrapping: LossyTransport(inner: near)) { record in
                packets.withLock { $0.append(Array(record.packet)) }
            }
            let log = Recorder()
            try await traced.open(on: executor, receive: log.receive)
            try await far.open(on: executor) { _ in }
            // HCI_LE_Long_Term_Key_Request_Reply (Vol 4, Part E, 7.8.25).
            let reply: [UInt8] = [0x01, 0x1A, 0x20, 18, 0x40, 0]
            await executor.run { traced.send([reply + [UInt8](repeating: 0xAA, count: 16)]) }
            let noise: [UInt8] = [0x99, 0x04]
            await executor.run { far.send([noise]) }
            await log.wait { $0.bytes.count == noise.count }
            await executor.run { traced.send([Self.reset]) }
            let rest = [0x3E, 0x02] + Self.resetAnswer + Self.acl
            await executor.run { far.send([rest]) }
            await log.wait { $0.bytes.count == noise.count + rest.count }
            let blanked = reply + [UInt8](repeating: 0, count: 16)
            #expect(
                packets.withLock { $0 } == [blanked, noise, Self.reset, Self.resetAnswer, Self.acl]
            )
            #expect(traced.failure == nil)
        }
    }

    @Test("Packets of both directions are recorded whole and in order, and passed on")
    func bothWays() async throws {
        try await withTrace { executor, traced, far, log, path in
            await executor.run { traced.send([Self.reset]) }
            let answers = Self.resetAnswer + Self.acl
            for byte in answers { await executor.run { far.send([[byte]]) } }
            await log.wait { $0.bytes.count == answers.count }
            await executor.run { traced.send([Self.acl, Self.reset]) }
            await executor.turnEnd()
            let records = try readRecords(of: path)
            #expect(records.map(\.direction) == [.sent, .received, .received, .sent, .sent])
            #expect(
                records.map { Array($0.packet) }
                    == [Self.reset, Self.resetAnswer, Self.acl, Self.acl, Self.reset]
            )
            #expect(log.log.bytes == answers)
        }
    }

    @Test("Times come from the wall clock, in the order of the packets")
    func times() async throws {
        try await withTrace { executor, traced, _, _, path in
            let before = SystemClock.nanosecondsSince1970 / 1000
            for _ in 0..<3 { await executor.run { traced.send([Self.reset]) } }
            await executor.turnEnd()
            let times = try readRecords(of: path).map(\.microsecondsSince1970)
            #expect(times.count == 3)
            #expect(times == times.sorted())
            #expect(times.allSatisfy { $0 >= before })
        }
    }

    @Test("At the end of a turn, the file has all of its packets, without being closed")
    func flushedEachTurn() async throws {
        try await withTrace { executor, traced, _, _, path in
            for count in 1...5 {
                await executor.run { traced.send([Self.reset]) }
                await executor.turnEnd()
                let records = try readRecords(of: path)
                #expect(records.count == count)
            }
        }
    }

    @Test("A reopened transport continues the same file, without partial packets")
    func reopened() async throws {
        try await withTrace { executor, traced, far, log, path in
            await executor.run {
                far.send([Array(Self.resetAnswer.prefix(3))])
                far.close()
            }
            _ = await log.waitForClosing()
            try await traced.open(on: executor, receive: log.receive)
            try await far.open(on: executor) { _ in }
            await executor.run { far.send([Self.acl]) }
            await log.wait { $0.bytes.count == 3 + Self.acl.count }
            await executor.turnEnd()
            let records = try readRecords(of: path)
            #expect(records.map { Array($0.packet) } == [Self.acl])
        }
    }

    @Test("Bytes that cannot be separated into packets are recorded as they arrived")
    func lostFraming() async throws {
        try await withTrace { executor, _, far, log, path in
            await executor.run { far.send([[0xFF, 1, 2]]) }
            await log.wait { $0.bytes.count == 3 }
            await executor.run { far.send([Self.acl]) }
            await log.wait { $0.bytes.count == 3 + Self.acl.count }
            await executor.turnEnd()
            let records = try readRecords(of: path)
            #expect(records.map { Array($0.packet) } == [[0xFF, 1, 2], Self.acl])
        }
    }

    @Test("Packets are recorded once if bytes that cannot be separated follow them")
    func lostFramingAfterPackets() async throws {
        try await withTrace { executor, _, far, log, path in
            let piece = Self.resetAnswer + Self.acl + [0xFF, 1, 2]
            await executor.run { far.send([piece]) }
            await log.wait { $0.bytes.count == piece.count }
            await executor.turnEnd()
            let packets = try readRecords(of: path).map { Array($0.packet) }
            #expect(packets == [Self.resetAnswer, Self.acl, [0xFF, 1, 2]])
        }
    }

    @Test("Packets that are sent while the transport is closed are not recorded")
    func notOpen() async throws {
        try await withTrace { executor, traced, far, log, path in
            await executor.run { far.close() }
            _ = await log.waitForClosing()
            await executor.run { traced.send([Self.reset]) }
            await executor.turnEnd()
            let records = try readRecords(of: path)
            #expect(records.isEmpty)
        }
    }

    @Test("A new trace is readable by its owner only")
    func permissions() async throws {
        try await withTrace { _, _, _, _, path in
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test("A trace over an existing file is readable by its owner only")
    func permissionsOfBefore() throws {
        let path = temporaryPath("readable")
        defer { unlink(path) }
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
        #expect(fchmod(descriptor, 0o644) == 0)
        close(descriptor)
        _ = try TracingTransport(wrapping: InProcessTransport.pair().0, path: path)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("A file that cannot be made is reported at once")
    func noDirectory() {
        let path = temporaryPath("missing") + "/trace"
        let error = #expect(throws: TransportError.self) {
            try TracingTransport(wrapping: InProcessTransport.pair().0, path: path)
        }
        #expect(error?.description == "create \(path): no such file or directory (error 2)")
    }

    @Test("A file that cannot be read is not taken for an empty one")
    func unreadable() throws {
        let path = temporaryPath("folder")
        try #require(mkdir(path, 0o700) == 0)
        defer { rmdir(path) }
        #expect(throws: TransportError.self) { try readRecords(of: path) }
    }

    @Test("A file that cannot be written is reported at once", .enabled(if: hasFullDevice))
    func diskFull() {
        let error = #expect(throws: TransportError.self) {
            try TracingTransport(wrapping: InProcessTransport.pair().0, path: "/dev/full")
        }
        guard case .system(_, ENOSPC, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private static var hasFullDevice: Bool { access("/dev/full", W_OK) == 0 }
}

/// A transport on which bytes may get lost, although none do.
private struct LossyTransport: HCITransport {
    let inner: InProcessTransport
    var name: String { inner.name }
    var losesBytes: Bool { true }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await inner.open(on: executor, receive: receive)
    }

    func send(_ packets: [[UInt8]]) { inner.send(packets) }

    func close() { inner.close() }
}
