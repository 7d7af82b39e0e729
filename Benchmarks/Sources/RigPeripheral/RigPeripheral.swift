// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Glibc
import HCITransports

// The host as a peripheral of the rig (Rig/compare.py):
// `RigPeripheral [--from-another-thread] [--dynamic] PATH`.
//
// Serves the database of Rig/peripheral.c to any number of centrals, until its standard input ends.
// With --dynamic the application answers each read and each write; otherwise the server answers
// with its stored value.
@main
struct RigPeripheral {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2, let path = arguments.last else {
            return say("usage: RigPeripheral [--from-another-thread] [--dynamic] PATH")
        }
        var configuration = HostConfiguration()
        configuration.address = DeviceAddress(value: 0xF0F1_F2F3_F4F5, kind: .random)
        configuration.attMTU = 247
        let host = BluetoothHost(
            transport: UnixTransport(path: path),
            configuration: configuration
        )
        try await host.start()
        let isElsewhere = arguments.contains("--from-another-thread")
        let executor = isElsewhere ? nil : host.executor.taskExecutor
        let server = try await Server(of: host, isDynamic: arguments.contains("--dynamic"))
        let work = Task(executorPreference: executor) { try await server.run() }
        var advertising = Advertising(AdvertisingContent(localName: "Lanyard"))
        advertising.interval = .milliseconds(20) ... .milliseconds(30)
        _ = try await host.advertise(advertising)
        say("ready F0:F1:F2:F3:F4:F5/random")
        while readLine() != nil {}
        work.cancel()
        await host.shutdown()
    }

    /// Prints without a buffer, for the process at the other end of the pipe.
    static func say(_ line: String) {
        var bytes = Array("\(line)\n".utf8)
        _ = write(1, &bytes, bytes.count)
    }
}
