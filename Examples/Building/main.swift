// SPDX-License-Identifier: Apache-2.0

// A building with twelve gateways and one host, in virtual time: people carry bonded badges from
// room to room, one gateway loses its power, and later one loses its network. Prints the figures
// and their limits. With PAGE.html, also writes a web page with the floor plan.
//
// usage: ExampleBuilding [PAGE.html] [--seed N] [--minutes N] [--people N] [--sensors N]
//            [--faults N] [--links N] [--interval N]
//
// With --faults, gateways lose their power or network that number of times, spread over the time.
// --links is the number of links that a gateway can have. --interval is the connection interval in
// milliseconds that each device requests when it is ready.
//
// The exit status is 1 if a figure is beyond its limit or the run fails, and 64 for wrong
// arguments.

import Foundation

func fail(_ message: String, _ status: Int32) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("ExampleBuilding: \(message)\n".utf8))
    exit(status)
}

do {
    let arguments = try BuildingArguments(Array(CommandLine.arguments.dropFirst()))
    let begun = ContinuousClock.now
    let simulation = try BuildingSimulation(arguments.scenario)
    let record = try await simulation.run()
    let checks = BuildingChecks(record)
    for check in checks.checks {
        print("\(check.isKept ? "ok  " : "FAIL")  \(check.claim): \(check.figure)")
    }
    let seconds = (ContinuousClock.now - begun) / .seconds(1)
    print(
        """
        \(BuildingChecks.text(record.length / 60)) minutes of \(record.devices.count) devices on \
        \(FloorPlan.rooms.count) gateways in \(BuildingChecks.text(seconds)) s, seed \(record.seed)
        """
    )
    if let file = arguments.page {
        try BuildingPage(record, checks).write(to: file)
        print("\(file): open it in a browser")
    }
    exit(checks.areKept ? 0 : 1)
} catch let error as BuildingArguments.Problem {
    fail(error.description, 64)
} catch {
    fail("\(error)", 1)
}
