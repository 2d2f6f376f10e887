package small;

/** Knows how ships are moored. */
class Pilot {
    static void guide(Ship ship, Harbor harbor) {
        ship.moor(harbor.berth());
        ship.hoist(Harbor.flag());
    }
}
