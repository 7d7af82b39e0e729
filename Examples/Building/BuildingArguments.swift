// SPDX-License-Identifier: Apache-2.0

struct BuildingArguments: Sendable {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private static let minutesLimit = 24 * 60
    private static let deviceLimit = 200
    private static let faultLimit = 10_000
    private static let linkLimit = 256
    /// The limits of a connection interval in milliseconds. The devices request a supervision
    /// timeout of 4 s together with the interval, and three of the longest intervals fit into it.
    private static let intervals = 15...1_200

    private(set) var scenario = BuildingScenario()
    /// The file of the page; `nil` for none.
    private(set) var page: String?

    /// Reads the arguments.
    ///
    /// - Throws: `Problem` for an unknown option, a missing value, or a value beyond its limits.
    init(_ arguments: [String]) throws {
        var (rest, faultCount) = (arguments[...], Int?.none)
        while let argument = rest.popFirst() {
            switch argument {
            case "--seed": scenario.seed = UInt64(try Self.number(argument, &rest, 0...Int.max))
            case "--minutes":
                let minutes = try Self.number(argument, &rest, 1...Self.minutesLimit)
                scenario.duration = .seconds(60 * minutes)
            case "--people":
                scenario.walkerCount = try Self.number(argument, &rest, 1...Self.deviceLimit)
            case "--sensors":
                scenario.sensorCount = try Self.number(argument, &rest, 0...Self.deviceLimit)
            case "--faults": faultCount = try Self.number(argument, &rest, 0...Self.faultLimit)
            case "--links":
                scenario.linkLimit = try Self.number(argument, &rest, 1...Self.linkLimit)
            case "--interval":
                let milliseconds = try Self.number(argument, &rest, Self.intervals)
                scenario.interval = .milliseconds(milliseconds)
            default:
                guard !argument.hasPrefix("-"), page == nil else {
                    throw Problem(
                        description: """
                            '\(argument)' is not an argument: use [PAGE.html] [--seed N] \
                            [--minutes N] [--people N] [--sensors N] [--faults N] [--links N] \
                            [--interval N]
                            """
                    )
                }
                page = argument
            }
        }
        if let faultCount { scenario.spreadIncidents(faultCount) }
        scenario.incidents.removeAll { $0.at >= scenario.duration }
    }

    private static func number(
        _ option: String,
        _ rest: inout ArraySlice<String>,
        _ range: ClosedRange<Int>
    ) throws -> Int {
        guard let text = rest.popFirst(), let number = Int(text), range.contains(number) else {
            let bounds = "from \(range.lowerBound) to \(range.upperBound)"
            throw Problem(description: "\(option) needs a number \(bounds)")
        }
        return number
    }
}
