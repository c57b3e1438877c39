//! Every shared library a program needs, directly or through others, in the order in which the
//! dynamic linker loads them.
//!
//! The guest's dynamic linker will do this again by itself. Doing it before the start gives one
//! clear sentence for a library that is missing, and tells what will be loaded. Cost: bounded by
//! a fixed number of libraries and of paths tried, whatever the files say.

use std::sync::Arc;

use super::error::LoadError;
use super::image::Image;
use super::search::{
    CACHE_PATH, DEFAULT_DIRECTORIES, Files, Link, Place, Rules, SearchOptions, directory_of,
    expand_tokens, join,
};

/// Most libraries a program may need.
const LIBRARIES_MAX: usize = 1024;

/// Most questions and paths tried for one program.
const PROBES_MAX: usize = 200_000;

/// Most places named in a message.
const LOOKED_MAX: usize = 32;

/// A library, and where it was found.
#[derive(Debug, Clone)]
pub struct Library {
    /// The name that was asked for.
    pub name: String,
    /// The path that it was found at.
    pub path: String,
    /// Name of the first file that asked for it.
    pub needed_by: String,
    /// The file.
    pub image: Arc<Image>,
}

/// What a program is loaded with.
#[derive(Debug, Clone, Default)]
pub struct Closure {
    /// The dynamic linker; `None` for a program that needs none.
    pub interpreter: Option<Library>,
    /// The libraries in load order, without the dynamic linker.
    pub libraries: Vec<Library>,
}

/// Finds the dynamic linker and all libraries of `main`.
pub fn resolve_closure(
    main: &Image,
    files: &dyn Files,
    options: &SearchOptions,
) -> Result<Closure, LoadError> {
    let interpreter = find_interpreter(main, files)?;
    if main.dynamic().needed.is_empty() && interpreter.is_none() {
        return Ok(Closure::default());
    }
    let rules = Rules::of(main.interpreter(), files);
    let mut resolver = Resolver {
        main,
        files,
        options,
        rules,
        interpreter,
        libraries: Vec::new(),
        loaders: Vec::new(),
        probes: 0,
    };
    resolver.preload()?;
    resolver.close()?;
    Ok(Closure { interpreter: resolver.interpreter, libraries: resolver.libraries })
}

/// Reads the dynamic linker that the program names.
fn find_interpreter(main: &Image, files: &dyn Files) -> Result<Option<Library>, LoadError> {
    let Some(path) = main.interpreter() else { return Ok(None) };
    let Some(bytes) = files.read(path) else {
        let (file, interpreter) = (main.name().to_string(), path.to_string());
        return Err(LoadError::MissingInterpreter { file, interpreter });
    };
    Ok(Some(Library {
        name: path.to_string(),
        path: path.to_string(),
        needed_by: main.name().to_string(),
        image: Arc::new(Image::parse(bytes, path)?),
    }))
}

/// The search in progress. Who asked is a number: the program is `None`, a library its position.
struct Resolver<'a> {
    main: &'a Image,
    files: &'a dyn Files,
    options: &'a SearchOptions,
    rules: Rules,
    interpreter: Option<Library>,
    libraries: Vec<Library>,
    loaders: Vec<Option<usize>>,
    probes: usize,
}

impl Resolver<'_> {
    /// Libraries of `LD_PRELOAD`; the dynamic linker passes over those it cannot find.
    fn preload(&mut self) -> Result<(), LoadError> {
        let names = self.options.preload.as_deref().unwrap_or_default();
        for name in names.split([' ', ':']).filter(|name| !name.is_empty()) {
            if let Err(error @ LoadError::TooManyLibraries { .. }) = self.load(name, None) {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Breadth first: the program's needs, then those of each library in the order of loading.
    fn close(&mut self) -> Result<(), LoadError> {
        for name in &self.main.dynamic().needed {
            self.load(name, None)?;
        }
        let mut next = 0;
        while next < self.libraries.len() {
            let image = Arc::clone(&self.libraries[next].image);
            for name in &image.dynamic().needed {
                self.load(name, Some(next))?;
            }
            next += 1;
        }
        Ok(())
    }

    /// Finds one library, unless it is there already.
    fn load(&mut self, name: &str, asking: Option<usize>) -> Result<(), LoadError> {
        self.spend(1)?;
        let origin = asking.map_or(&*self.options.origin, |at| self.origin(at));
        let name = expand_tokens(name, origin);
        if self.is_loaded(&name) {
            return Ok(());
        }
        let (path, image) = self.search(&name, asking)?;
        // The same file under another name is the same library.
        let same = |library: &Library| library.image.bytes() == image.bytes();
        if self.libraries.iter().chain(&self.interpreter).any(same) {
            return Ok(());
        }
        if self.libraries.len() >= LIBRARIES_MAX {
            return Err(self.too_many());
        }
        let needed_by = self.name_of(asking).to_string();
        self.libraries.push(Library { name, path, needed_by, image: Arc::new(image) });
        self.loaders.push(asking);
        Ok(())
    }

    /// Whether a library of this name (or with this name inside) was loaded before.
    fn is_loaded(&self, name: &str) -> bool {
        let named = |library: &Library| {
            library.name == name || library.image.dynamic().soname.as_deref() == Some(name)
        };
        self.libraries.iter().chain(&self.interpreter).any(named)
            || self.interpreter.is_some() && self.rules.is_linker(name)
    }

    /// Tries one place after the other; a name with a slash is a path.
    fn search(&mut self, name: &str, asking: Option<usize>) -> Result<(String, Image), LoadError> {
        let mut foreign = false;
        if name.contains('/') {
            return match self.open(name, &mut foreign)? {
                Some(image) => Ok((name.to_string(), image)),
                None => Err(self.missing(name, &[], asking, foreign)),
            };
        }
        let places = self.places(asking);
        self.spend(places.len())?;
        for place in &places {
            for path in self.candidates(place, name, asking) {
                if let Some(image) = self.open(&path, &mut foreign)? {
                    return Ok((path, image));
                }
            }
        }
        Err(self.missing(name, &places, asking, foreign))
    }

    /// The paths to try in one place.
    fn candidates(&self, place: &Place, name: &str, asking: Option<usize>) -> Vec<String> {
        match (place, &self.rules) {
            (Place::Directory(directory), Rules::Glibc(_)) => {
                let levels = self.options.feature_levels.iter();
                let levels = levels.map(|l| join(directory, &format!("glibc-hwcaps/{l}/{name}")));
                levels.chain([join(directory, name)]).collect()
            }
            (Place::Directory(directory), Rules::Musl(_)) => vec![join(directory, name)],
            (Place::Cache, Rules::Glibc(Some(cache))) => {
                let no_defaults = self.image_of(asking).dynamic().no_default_directories;
                let mut paths = cache.lookup(name, &self.options.feature_levels);
                paths.retain(|path| {
                    !no_defaults || !DEFAULT_DIRECTORIES.contains(&directory_of(path))
                });
                paths
            }
            (Place::Cache, _) => Vec::new(),
        }
    }

    /// Reads and parses a candidate; one for another machine is passed over.
    fn open(&mut self, path: &str, foreign: &mut bool) -> Result<Option<Image>, LoadError> {
        let Some(bytes) = self.files.read(path) else { return Ok(None) };
        match Image::parse(bytes, path) {
            Ok(image) if image.is_fixed() => Err(LoadError::NotALibrary { file: path.to_string() }),
            Ok(image) => Ok(Some(image)),
            Err(
                LoadError::Bits32 { .. }
                | LoadError::BigEndian { .. }
                | LoadError::WrongMachine { .. },
            ) => {
                *foreign = true;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Counts work done; there is an end to it.
    fn spend(&mut self, probes: usize) -> Result<(), LoadError> {
        self.probes += probes;
        if self.probes > PROBES_MAX { Err(self.too_many()) } else { Ok(()) }
    }

    /// The places for what the given file asks for: along the asking file, those
    /// that loaded it, and the program at the end.
    fn places(&self, asking: Option<usize>) -> Vec<Place> {
        let mut chain = Vec::new();
        let mut at = asking;
        while let Some(number) = at {
            let image = &*self.libraries[number].image;
            chain.push(Link { image, origin: self.origin(number) });
            at = self.loaders[number];
        }
        chain.push(Link { image: self.main, origin: &self.options.origin });
        self.rules.places(&chain, self.options)
    }

    fn origin(&self, library: usize) -> &str {
        directory_of(&self.libraries[library].path)
    }

    fn image_of(&self, asking: Option<usize>) -> &Image {
        asking.map_or(self.main, |at| &self.libraries[at].image)
    }

    fn name_of(&self, asking: Option<usize>) -> &str {
        self.image_of(asking).name()
    }

    /// The sentence for a library that is not there.
    fn missing(
        &self,
        name: &str,
        places: &[Place],
        asking: Option<usize>,
        foreign: bool,
    ) -> LoadError {
        let mut looked: Vec<String> = Vec::new();
        for place in places {
            let text = match place {
                Place::Directory(directory) if directory.is_empty() => ".",
                Place::Directory(directory) => directory,
                Place::Cache => CACHE_PATH,
            };
            if looked.len() < LOOKED_MAX && !looked.iter().any(|known| known == text) {
                looked.push(text.to_string());
            }
        }
        let needed_by = self.name_of(asking).to_string();
        LoadError::MissingLibrary { library: name.to_string(), needed_by, looked, foreign }
    }

    fn too_many(&self) -> LoadError {
        LoadError::TooManyLibraries {
            file: self.main.name().to_string(),
            libraries: LIBRARIES_MAX,
            paths: PROBES_MAX,
        }
    }
}
