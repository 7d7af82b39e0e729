// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGAP
import BluetoothTypes

/// The options that choose the devices of a scan.
struct ScanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Only devices that advertise this service: a UUID (180D) or a name ("Heart Rate"). \
            Repeat for several.
            """,
            valueName: "service"
        )
    )
    var service: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only devices whose name has this prefix, in upper or lower case.",
            valueName: "prefix"
        )
    )
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only devices with at least this signal strength, such as -60.",
            valueName: "dBm"
        )
    )
    var minimumRSSI: Int?

    @Option(
        help: ArgumentHelp(
            """
            Only devices that are discoverable: "general" for all of them, "limited" for those \
            that are discoverable for a limited time.
            """,
            valueName: "procedure"
        )
    )
    var discovery: String?

    @Flag(help: "Scan passively: send no scan requests.")
    var passive = false

    /// Whether the options leave devices out.
    var hasFilter: Bool {
        !service.isEmpty || name != nil || minimumRSSI != nil || discovery != nil
    }

    /// The parameters of the scan.
    var parameters: ScanParameters {
        var parameters = ScanParameters()
        parameters.isActive = !passive
        return parameters
    }

    /// The filter. Throws if an option is not valid.
    var filter: ScanFilter {
        get throws {
            var filter = ScanFilter()
            for text in service { filter.services.insert(try BluetoothUUID(service: text)) }
            filter.namePrefix = name
            filter.isNameCaseSensitive = name == nil
            filter.minimumRSSI = try strength
            filter.discoveryProcedure = try discoveryProcedure
            return filter
        }
    }

    /// The strength of `--minimum-rssi`, in dBm.
    private var strength: Int? {
        get throws(ProgramFailure) {
            guard let minimumRSSI else { return nil }
            guard Self.strengths.contains(minimumRSSI) else {
                let range = "from \(Self.strengths.lowerBound) to \(Self.strengths.upperBound)"
                throw .usage(
                    "'\(minimumRSSI)' is not a valid --minimum-rssi",
                    advice: Self.strengths.contains(-minimumRSSI)
                        ? "did you mean -\(minimumRSSI)?" : "use a number of dBm \(range)"
                )
            }
            return minimumRSSI
        }
    }

    /// The procedure of `--discovery`.
    private var discoveryProcedure: ScanFilter.DiscoveryProcedure? {
        get throws(ProgramFailure) {
            guard let discovery else { return nil }
            guard let procedure = ScanFilter.DiscoveryProcedure(rawValue: discovery) else {
                throw .usage(
                    "'\(TerminalText.escape(discovery))' is not a valid --discovery",
                    advice: "use general or limited"
                )
            }
            return procedure
        }
    }

    /// The strengths that a controller reports (Vol 4, Part E, 7.7.65.2).
    private static let strengths = -127...20
}
