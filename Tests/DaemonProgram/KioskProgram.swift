// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Observation

@testable import ExampleKiosk

/// The app of Examples/Kiosk without its screen: a person's actions are commands, and the contents
/// of the screen are printed.
@MainActor
final class KioskProgram {
    private static let store = URL(fileURLWithPath: "/tmp/store/badges.json")

    private var kiosk: Kiosk?
    private var search: Task<Void, Never>?
    private var shownNames: [String]?

    /// Performs a command: `launch`, `tap` with the name of a badge nearby, `send` with a note of
    /// one word and the name of a paired badge, or `leave`.
    func perform(_ words: [String]) async {
        let rest = words.dropFirst().joined(separator: " ")
        switch words.first {
        case "launch": launch()
        case "tap": await tap(rest)
        case "send": await send(words[1], to: words.dropFirst(2).joined(separator: " "))
        case "leave":
            search?.cancel()
            await search?.value
            await kiosk?.screen.central.shutDown()
            say("left")
        default: say("no such command: kiosk \(words)")
        }
    }

    private func launch() {
        var configuration = AccessoryCentral.Configuration(name: "kiosk")
        configuration.store = .file(Self.store)
        do {
            let sealing = try AuthenticatedCBCSealing(
                encryption: SealingKey(Data(0..<16)),
                authentication: SealingKey(Data(16..<32))
            )
            let kiosk = Kiosk(sealing: sealing, configuration: configuration)
            self.kiosk = kiosk
            say("launched \(Self.names(kiosk.screen.accessories.compactMap(\.name)))")
            search = Task { await kiosk.nearby.search() }
            showNearby(kiosk)
        } catch {
            say("not launched: \(error)")
        }
    }

    /// Prints the names of the badges nearby, now and after each change.
    private func showNearby(_ kiosk: Kiosk) {
        let names = withObservationTracking {
            kiosk.nearby.devices.compactMap(\.name).sorted()
        } onChange: { [weak self] in
            // The change happens after this call.
            Task { @MainActor in self?.showNearby(kiosk) }
        }
        guard names != shownNames else { return }
        shownNames = names
        say("nearby \(Self.names(names))")
    }

    private func tap(_ name: String) async {
        guard let kiosk, let device = kiosk.nearby.devices.first(where: { $0.name == name })
        else { return say("no badge nearby: \(name)") }
        await kiosk.tap(device)
        let names = Self.names(kiosk.screen.accessories.compactMap(\.name))
        say(kiosk.screen.problem.map { "problem \($0.title)" } ?? "paired \(names)")
    }

    private func send(_ text: String, to name: String) async {
        guard let kiosk, let badge = kiosk.screen.accessories.first(where: { $0.name == name })
        else { return say("no paired badge: \(name)") }
        await kiosk.send(text, to: badge)
        say("answer \(kiosk.answers[badge.id] ?? kiosk.screen.problem?.title ?? "")")
    }

    private static func names(_ names: [String]) -> String {
        names.sorted().joined(separator: ", ")
    }
}
