// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Glibc
import HCITransports

// The host as a central of the rig (Rig/compare.py):
// `RigCentral [--from-another-thread] PATH ADDRESS`. PATH is the path of a controller's socket, or
// `gateway:HOST:PORT`. For scans, PATH may also be several gateways with `+` between them, which
// work as one adapter.
//
// Executes the commands on its standard input: `read COUNT`, `notify COUNT SIZE`, or `scan SECONDS
// EVERY` (1 for every report, 0 for each device once). Answers with `done SECONDS`, and after a
// scan with the number of advertisements. With an ADDRESS of `-` it does not connect.
@main
struct RigCentral {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            return say("usage: RigCentral [--from-another-thread] PATH ADDRESS")
        }
        let controller = arguments[arguments.count - 2]
        let names = controller.split(separator: "+")
        if names.count > 1 { return try await scan(names) }
        let transport: any HCITransport =
            controller.hasPrefix("gateway:")
            ? try AdapterSpecification(controller).makeTransport()
            : UnixTransport(path: controller)
        let host = BluetoothHost(transport: transport)
        try await host.start()
        var central: Central?
        if let peer = DeviceAddress(arguments[arguments.count - 1], kind: .public) {
            central = try await Central(host.connect(to: peer))
        }
        say("ready")
        let isElsewhere = arguments.contains("--from-another-thread")
        let executor = isElsewhere ? nil : host.executor.taskExecutor
        while let line = readLine() {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Int($0) }
            let start = ContinuousClock.now
            var result = ""
            switch words.first {
            case "read":
                try await withTaskExecutorPreference(executor) { [central] in
                    try await central?.read(numbers[0])
                }
            case "notify":
                try await withTaskExecutorPreference(executor) { [central] in
                    try await central?.notify(numbers[0], size: numbers[1])
                }
            case "scan":
                let every = numbers[1] != 0
                result = try await scan(on: host, numbers[0], every: every, executor)
            default: result = "unknown command"
            }
            say("done \((ContinuousClock.now - start) / .seconds(1)) \(result)")
        }
        await host.shutdown()
    }

    /// Executes the scans on the standard input on several adapters.
    private static func scan(_ names: [Substring]) async throws {
        let radios = try await SeveralRadios(names)
        say("ready")
        while let line = readLine() {
            let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
            guard numbers.count == 2 else { return say("unknown command") }
            let start = ContinuousClock.now
            let count = try await radios.scan(numbers[0], every: numbers[1] != 0)
            say("done \((ContinuousClock.now - start) / .seconds(1)) \(count)")
        }
        await radios.shutDown()
    }

    /// Prints without a buffer, for the process at the other end of the pipe.
    static func say(_ line: String) {
        var bytes = Array("\(line)\n".utf8)
        _ = write(1, &bytes, bytes.count)
    }

    static func scan(
        on host: BluetoothHost,
        _ seconds: Int,
        every: Bool,
        _ executor: (any TaskExecutor)?
    ) async throws -> String {
        let scan = Task(executorPreference: executor) {
            var count = 0
            for try await _ in host.scan(reportsDuplicates: every) { count += 1 }
            return count
        }
        try await Task.sleep(for: .seconds(seconds))
        scan.cancel()
        return "\(try await scan.value)"
    }
}
