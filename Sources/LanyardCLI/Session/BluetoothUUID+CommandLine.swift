// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension BluetoothUUID {
    /// Parses a UUID as a person types it: 4, 8 or 32 hexadecimal digits, optionally after `0x`. 32
    /// digits may have the usual hyphens.
    init?(typed text: String) {
        self.init(text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...])
    }

    /// Parses the UUID or the name of a service, such as `180D` or `Heart Rate`.
    init(service text: String) throws(ProgramFailure) {
        guard let uuid = BluetoothUUID(typed: text) ?? AssignedNumbers.service(named: text) else {
            throw .usage(
                "'\(TerminalText.escape(text))' is not a service",
                advice: ProgramFailure.didYouMean(
                    text,
                    among: AssignedNumbers.serviceNames.values.sorted(),
                    otherwise: "use a UUID (180D) or a name (\"Heart Rate\")"
                )
            )
        }
        self = uuid
    }
}
