// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// The connection parameters of links with Linux: requests of both sides in both roles.
@Suite(.machines) struct ParameterTests {
    private static let hundred = ConnectionUpdate(
        intervalMinimum: .milliseconds(100),
        intervalMaximum: .milliseconds(100),
        peripheralLatency: 2,
        supervisionTimeout: .seconds(4)
    )

    /// The settings with 5.x controllers. btvirt's 4.x controllers refuse to update a link.
    private static let settings = Setting.eachRelease

    @Test("The host as central changes the connection parameters", arguments: settings)
    func hostAsCentral(_ setting: Setting) async throws {
        try await withLink(setting, as: .peripheral, "parameters: the host changes them") {
            fixture in
            try await fixture.bluez.watchHCI()
            let agreed = try await fixture.link.updateParameters(Self.hundred)
            #expect(agreed.interval == .milliseconds(100))
            #expect(agreed.peripheralLatency == 2)
            #expect(agreed.supervisionTimeout == .seconds(4))
            try await fixture.bluez.sawHCI { $0.contains("LE Connection Update Complete") }
            try await fixture.bluez.sawHCI {
                $0.contains("Connection interval: 100.00 msec (0x0050)")
            }
        }
    }

    @Test("The host accepts the parameter request of Linux as peripheral", arguments: settings)
    func linuxAsPeripheral(_ setting: Setting) async throws {
        try await withLink(
            setting,
            as: .peripheral,
            "parameters: BlueZ asks for them",
            prepare: { try await $0.setIntervals(from: 80, to: 80) }
        ) { fixture in
            try await fixture.expectInterval(.milliseconds(100))
        }
    }

    @Test(
        "The host refuses the parameter request of Linux if its configuration requires that",
        arguments: Setting.all
    )
    func refusedRequest(_ setting: Setting) async throws {
        var configuration = HostConfiguration()
        configuration.acceptsParameterRequests = false
        try await withLink(
            setting,
            as: .peripheral,
            "parameters: the host refuses them",
            configuration,
            prepare: { bluez in
                try await bluez.setIntervals(from: 80, to: 80)
                try await bluez.watchHCI()
            }
        ) { fixture in
            try await fixture.bluez.sawHCI { $0.contains("Connection Parameter Update Response") }
            try await fixture.bluez.sawHCI {
                $0.contains("Connection Parameters rejected (0x0001)")
            }
            #expect(try await fixture.link.properties.parameters.interval < .milliseconds(100))
        }
    }

    @Test("Linux as central accepts the host's parameter request", arguments: settings)
    func hostAsPeripheral(_ setting: Setting) async throws {
        try await withLink(
            setting,
            as: .central,
            "parameters: the host asks for them",
            prepare: { try await $0.setIntervals(from: 24, to: 160) }
        ) { fixture in
            let agreed = try await fixture.link.updateParameters(Self.hundred)
            #expect(agreed.interval == .milliseconds(100))
            #expect(agreed.peripheralLatency == 2)
            #expect(agreed.supervisionTimeout == .seconds(4))
        }
    }

    @Test("Linux as central changes the connection parameters", arguments: settings)
    func linuxAsCentral(_ setting: Setting) async throws {
        try await withLink(setting, as: .central, "parameters: BlueZ changes them") { fixture in
            try await fixture.bluez.updateParameters(interval: 100)
            try await fixture.expectInterval(.milliseconds(125))
        }
    }
}

extension LinkFixture {
    /// Waits until the link has this interval.
    fileprivate func expectInterval(_ interval: Duration) async throws {
        try await within(Limits.step, "the interval") {
            while try await link.properties.parameters.interval != interval {
                _ = try await link.readRemoteVersion()
            }
        }
    }
}

extension BlueZ {
    /// Sets the intervals that the kernel prefers on links from now on, in units of 1.25 ms.
    fileprivate func setIntervals(from minimum: Int, to maximum: Int) async throws {
        let folder = "/sys/kernel/debug/bluetooth/hci0"
        // The order keeps the minimum at or below the maximum, because the kernel refuses the
        // opposite.
        let lines = [
            "echo 6 > \(folder)/conn_min_interval", "echo \(maximum) > \(folder)/conn_max_interval",
            "echo \(minimum) > \(folder)/conn_min_interval",
        ]
        try await shell(lines.joined(separator: " && "))
    }

    /// Makes BlueZ's controller change the interval of the only link, in units of 1.25 ms.
    fileprivate func updateParameters(interval: Int) async throws {
        let handle = "handle=$(hcitool con | sed -n 's/.* handle \\([0-9]*\\) .*/\\1/p')"
        let update = "hcitool lecup --handle $handle --min \(interval) --max \(interval)"
        try await shell("\(handle); \(update) --latency 0 --timeout 500")
    }
}
