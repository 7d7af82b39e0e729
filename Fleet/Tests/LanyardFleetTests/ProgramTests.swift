// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
import Testing

@Suite("lanyard-fleet as a process", .timeLimit(.minutes(2)))
struct ProgramTests {
    private enum Event: Equatable {
        case connected
        case ended(Int32)
    }

    /// The program beside the tests.
    private static let path =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("lanyard-fleet").path

    @Test("The program runs if standard error is closed or has no reader", arguments: ["2>&-", ""])
    func standardError(redirection: String) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try #"{"accessories": []}"#
            .write(toFile: folder + "/accessories", atomically: true, encoding: .utf8)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        let broker = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                feed.yield(.connected)
                return channel.close()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(broker.localAddress?.port)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", #"exec "$0" "$@" "# + redirection, Self.path, folder + "/accessories", "--name",
            "hall", "--broker", "127.0.0.1:\(port)", "--without-tls", "--state",
            folder + "/state", "--adapter", "virtual",
        ]
        process.standardInput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try errors.fileHandleForReading.close()
        process.terminationHandler = {
            feed.yield(.ended($0.terminationStatus))
            feed.finish()
        }
        try process.run()
        // The program writes a line about its queue before it connects.
        var last: Event?
        for await event in events {
            if last == nil, event == .connected { process.terminate() }
            last = event
        }
        #expect(last == .ended(0))
        let journal = try Data(contentsOf: URL(fileURLWithPath: folder + "/state/queue.journal"))
        #expect(journal.range(of: Data("lanyard-fleet".utf8)) == nil)
        try await broker.close()
        try await group.shutdownGracefully()
    }
}
