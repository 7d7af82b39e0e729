// SPDX-License-Identifier: Apache-2.0

extension SerialLine {
    /// The reason why a text is not a serial line.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The text contains no device.
        case noDevice
        /// The text is not a valid speed.
        case badSpeed(String)
        /// The option is unknown, occurs twice, or has no value.
        case badOption(String)
        /// The option cannot have this value. `accepted` lists the possible values.
        case badValue(option: String, accepted: String)

        /// The error and the accepted values, without a period at the end.
        public var description: String {
            switch self {
            case .noDevice: "serial: requires a device, such as /dev/ttyUSB0@1000000"
            case .badSpeed(let text):
                "'\(text)' is not a valid speed; use a number of bits per second from "
                    + "\(SerialLine.speeds.lowerBound) to \(SerialLine.speeds.upperBound)"
            case .badOption(let text):
                "'\(text)' is not an option of a serial line; use flow=, start= and vendor=, "
                    + "each once"
            case .badValue(let option, let accepted): "\(option)= must be one of \(accepted)"
            }
        }
    }

    /// Creates a line from the text after `serial:`.
    init(_ text: Substring) throws(Problem) {
        var options = text.split(separator: ",", omittingEmptySubsequences: false)[...]
        let place = options.removeFirst()
        let at = place.lastIndex(of: "@")
        let path = place[..<(at ?? place.endIndex)]
        guard !path.isEmpty else { throw .noDevice }
        self.init(path: String(path))
        if let at { speed = try Self.readSpeed(place[place.index(after: at)...]) }
        var names: Set<Substring> = []
        for option in options {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, names.insert(parts[0]).inserted else {
                throw .badOption(String(option))
            }
            try read(option: parts[0], parts[1])
        }
        if vendor != nil, startSpeed == nil { startSpeed = Self.defaultSpeed }
    }

    private mutating func read(option: Substring, _ value: Substring) throws(Problem) {
        switch option {
        case "flow": flowControl = try Self.read(value, option)
        case "vendor": vendor = try Self.read(value, option)
        case "start": startSpeed = try Self.readSpeed(value)
        default: throw .badOption("\(option)=\(value)")
        }
    }

    private static func readSpeed(_ text: Substring) throws(Problem) -> Int {
        guard let speed = Int(text), speeds.contains(speed), text.allSatisfy(\.isNumber) else {
            throw .badSpeed(String(text))
        }
        return speed
    }

    private static func read<Value: RawRepresentable<String> & CaseIterable>(
        _ text: Substring,
        _ option: Substring
    ) throws(Problem) -> Value {
        guard let value = Value(rawValue: String(text)) else {
            let accepted = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badValue(option: String(option), accepted: accepted)
        }
        return value
    }
}
