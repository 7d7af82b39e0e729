// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

/// The adapter that a person has chosen.
enum AdapterChoice: Equatable, Sendable {
    /// One that is somewhere: `tcp:HOST:PORT` or `unix:PATH`.
    case reached(AdapterSpecification)
    /// One in a world within this process: with example accessories around it, `virtual`, or those
    /// of a scenario, `virtual:FILE`.
    case virtual(scenario: String?)

    /// What may be said.
    static let forms = "virtual, virtual:SCENARIO, tcp:HOST:PORT or unix:PATH"

    /// Reads what a person said; throws `ProgramFailure`.
    init(_ text: String) throws {
        switch text {
        case "virtual": self = .virtual(scenario: nil)
        case _ where text.hasPrefix("virtual:"):
            self = .virtual(scenario: String(text.dropFirst("virtual:".count)))
        default:
            do {
                self = .reached(try AdapterSpecification(text))
            } catch {
                throw ProgramFailure.usage(
                    "'\(TerminalText.escape(text))' is no adapter: \(error.complaint)",
                    advice: "use \(Self.forms)"
                )
            }
        }
    }
}

extension AdapterChoice: CustomStringConvertible {
    var description: String {
        switch self {
        case .reached(let specification): specification.description
        case .virtual(let scenario): "virtual" + (scenario.map { ":" + $0 } ?? "")
        }
    }
}

/// A way to a controller, for as long as a command takes.
struct AdapterAccess: Sendable {
    let transport: any HCITransport
    /// Where its host has to run; nil if that makes no difference.
    var executor: AdapterExecutor?
    /// The world in which the controller is; nil if it is a real one.
    var air: LiveAir?

    /// Lets go of it, after its host.
    func end() {
        air?.shutDown()
    }
}

extension AdapterChoice {
    /// The seed of a world whose scenario has none.
    private static let seed: UInt64 = 1

    /// Makes the way to the controller, and the world around it if it is a virtual one. Throws
    /// `ProgramFailure`.
    func makeAccess() async throws -> AdapterAccess {
        switch self {
        case .reached(let specification):
            return AdapterAccess(transport: specification.makeTransport())
        case .virtual(let file?): return try await Self.makeAccess(to: ScenarioFile.read(file))
        case .virtual(nil):
            let world = World(seed: Self.seed)
            try ExampleAccessories.populate(world)
            return try await Self.makeAccess(to: LiveAir(world))
        }
    }

    /// The first controller of the scenario that waits for a host; if none does, one of its own.
    private static func makeAccess(to scenario: Scenario) async throws -> AdapterAccess {
        let world = scenario.makeWorld(seed: seed)
        let stage = try scenario.populate(world)
        let air = LiveAir(world)
        await air.play(stage)
        guard let controller = stage.waiting.first else { return try await makeAccess(to: air) }
        let transport = air.adapter(of: controller)
        return AdapterAccess(transport: transport, executor: air.executor, air: air)
    }

    private static func makeAccess(to air: LiveAir) async throws -> AdapterAccess {
        do {
            let transport = try await air.addAdapter(ControllerConfiguration(name: "lanyard"))
            return AdapterAccess(transport: transport, executor: air.executor, air: air)
        } catch {
            air.shutDown()
            throw ProgramFailure(.badData, "\(error)", advice: "leave some devices out")
        }
    }
}
