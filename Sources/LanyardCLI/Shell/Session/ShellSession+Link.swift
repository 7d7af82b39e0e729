// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothValues
import JSONText

// Properties of the link.
extension ShellSession {
    func mtu() async throws -> ShellOutput {
        let link = try connection().link
        let mtu = try await limits.run("reading the MTU") { try await link.mtu }
        return output("MTU \(mtu) bytes", of: link, .init("mtu", .integer(mtu)))
    }

    func rssi() async throws -> ShellOutput {
        let link = try connection().link
        let rssi = try await limits.run("reading the signal strength") {
            try await link.readRSSI()
        }
        return output(
            rssi.map { "\($0) dBm" } ?? "not measured",
            of: link,
            .init("rssi", .integer(orNull: rssi))
        )
    }

    func parameters(_ update: ConnectionUpdate?) async throws -> ShellOutput {
        let link = try hostLink()
        let parameters =
            if let update {
                try await changing(link, "changing the parameters") {
                    try await link.updateParameters(update)
                }
            } else {
                try await presentParameters(of: link)
            }
        let (interval, timeout) = (parameters.interval, parameters.supervisionTimeout)
        let text =
            "interval \(Self.milliseconds(interval)), latency \(parameters.peripheralLatency), "
            + "timeout \(Self.milliseconds(timeout))"
        return output(
            text,
            of: link,
            .init("interval", .number(interval / .milliseconds(1))),
            .init("latency", .integer(parameters.peripheralLatency)),
            .init("timeout", .number(timeout / .milliseconds(1)))
        )
    }

    func physicalLayers(_ phy: PHY?) async throws -> ShellOutput {
        let link = try hostLink()
        let layers =
            if let phy {
                try await changing(link, "changing the physical layers") {
                    try await link.requestPHY(transmit: phy, receive: phy)
                }
            } else {
                try await limits.run("reading the physical layers") { try await link.readPHY() }
            }
        return output(
            "sends on \(layers.transmit), receives on \(layers.receive)",
            of: link,
            .init("transmit", .string("\(layers.transmit)")),
            .init("receive", .string("\(layers.receive)"))
        )
    }

    /// Returns the link of a host. Throws on the Bluetooth daemon.
    private func hostLink() throws(ProgramFailure) -> Link {
        guard let link = try connection().link as? Link else {
            throw .usage(
                "the Bluetooth daemon gives no access to parameters and physical layers",
                advice: "use another --adapter"
            )
        }
        return link
    }

    /// Changes a property of the link, within a limit for the link's current parameters.
    private func changing<Result: Sendable>(
        _ link: Link,
        _ step: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let progress = ProgressLine(console: environment.printer.console)
        progress.show(step)
        defer { progress.clear() }
        let present = try await presentParameters(of: link)
        let limit = limits.changing(
            interval: present.interval,
            latency: present.peripheralLatency
        )
        return try await limits.run(step, within: limit, body)
    }

    private func presentParameters(of link: Link) async throws -> ConnectionParameters {
        try await limits.run("reading the parameters") { try await link.properties.parameters }
    }

    private func output(
        _ text: String,
        of link: any PeripheralLink,
        _ members: JSON.Member...
    ) -> ShellOutput {
        ShellOutput(
            text,
            .object([.init("address", .string(link.address.description))] + members)
        )
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let hundredths = Int((duration / .milliseconds(1) * 100).rounded())
        return hundredths.isMultiple(of: 100)
            ? "\(hundredths / 100) ms" : DecimalText.describe(hundredths, exponent: -2) + " ms"
    }
}

// MARK: - Bonds

extension ShellSession {
    func pair(_ words: [String]) async throws -> ShellOutput {
        let connection = try connection()
        let options = try PairingOptions.parsed(words)
        if case .daemon = environment.adapter.adapter { try options.requireDefaults() }
        let hasAnswer = change { state in
            defer { state.hasAnswer = false }
            return state.hasAnswer
        }
        environment.dialogue.reset(reportsKeypresses: options.keypresses)
        let hasBonded = environment.adapter.pairing.hasBonded
        hasBonded.reset()
        let policy = try options.policy(
            hasUser: environment.isInteractive || hasAnswer || options.answers
        )
        let report = try await PairingProcedure(
            link: connection.link,
            policy: policy,
            dialogue: environment.dialogue,
            limits: limits,
            hasBonded: hasBonded
        ).pair(advertisedName: connection.name)
        return ShellOutput(report.text, report.json)
    }

    /// Keeps an answer for the next question of a pairing.
    func answer(_ text: String) throws -> ShellOutput {
        guard let answers = environment.answers else {
            throw ProgramFailure.usage(
                "'answer' is for scripts",
                advice: "type the answer when the question appears"
            )
        }
        answers.receive(text)
        change { $0.hasAnswer = true }
        return ShellOutput("", .object([.init("answer", .string(text))]))
    }

    func listBonds() async -> ShellOutput {
        let bonds = await central.accessoryBonds()
        let lines = bonds.isEmpty ? ["There are no bonds."] : bonds.map(BondText.line)
        return ShellOutput(
            lines.joined(separator: "\n"),
            .array(bonds.map(BondText.json))
        )
    }

    func forget(_ target: Target?) async throws -> ShellOutput {
        let bond: AccessoryBond
        if let target {
            bond = try BondFinder(bonds: await central.accessoryBonds()).require(target)
        } else {
            let link = try connection().link
            guard let present = try await link.bond else {
                throw ProgramFailure(
                    .notFound,
                    "there is no bond with the connected device",
                    advice: "'bonds' lists the bonds"
                )
            }
            bond = present
        }
        try await limits.run("removing the bond") { [central] in try await central.remove(bond) }
        return ShellOutput("removed: " + BondText.line(bond), BondText.json(bond))
    }
}
